-- CreateEnum
CREATE TYPE "billing_provider" AS ENUM ('stripe', 'offline');

-- CreateEnum
CREATE TYPE "billing_interval" AS ENUM ('month', 'year');

-- CreateEnum
CREATE TYPE "order_status" AS ENUM ('open', 'fulfilled', 'expired', 'cancelled');

-- CreateEnum
CREATE TYPE "invoice_status" AS ENUM ('paid', 'open', 'void', 'approved');

-- CreateTable
CREATE TABLE "billing_order" (
    "id" TEXT NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "account_id" TEXT,
    "provider" "billing_provider" NOT NULL,
    "status" "order_status" NOT NULL,
    "plan_id" TEXT NOT NULL,
    "billing_interval" "billing_interval",
    "amount_cents" INTEGER NOT NULL,
    "caller_references" JSONB NOT NULL,
    "checkout_url" TEXT NOT NULL,
    "subscription_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3),
    "fulfilled_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "billing_order_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "billing_order_amount" CHECK ("amount_cents" >= 0),
    CONSTRAINT "billing_order_interval" CHECK (("billing_interval" IS NULL) = ("plan_id" = 'topup')),
    CONSTRAINT "billing_order_fulfilled" CHECK (("status" = 'fulfilled') = ("fulfilled_at" IS NOT NULL))
);

-- CreateTable
CREATE TABLE "billing_customer" (
    "tenant_id" TEXT NOT NULL,
    "customer_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "billing_customer_pkey" PRIMARY KEY ("tenant_id")
);

-- CreateTable
CREATE TABLE "invoice" (
    "id" TEXT NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "order_id" TEXT NOT NULL,
    "provider" "billing_provider" NOT NULL,
    "status" "invoice_status" NOT NULL,
    "plan_id" TEXT NOT NULL,
    "billing_interval" "billing_interval",
    "amount_cents" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "document_url" TEXT NOT NULL,
    "provider_invoice_id" TEXT,

    CONSTRAINT "invoice_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "invoice_approved_offline" CHECK (("status" = 'approved') = ("provider" = 'offline'))
);

-- CreateTable
CREATE TABLE "provider_event" (
    "id" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "received_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "provider_event_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "idempotent_call" (
    "id" TEXT NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "method" TEXT NOT NULL,
    "route" TEXT NOT NULL,
    "key_digest" BYTEA NOT NULL,
    "body_digest" BYTEA NOT NULL,
    "fence" INTEGER NOT NULL,
    "lease_until" TIMESTAMPTZ(3) NOT NULL,
    "forget_at" TIMESTAMPTZ(3) NOT NULL,
    "sealed_answer" BYTEA,

    CONSTRAINT "idempotent_call_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "idempotent_call_digests" CHECK (octet_length("key_digest") = 32 AND octet_length("body_digest") = 32),
    CONSTRAINT "idempotent_call_fence" CHECK ("fence" >= 1)
);

-- CreateIndex
CREATE UNIQUE INDEX "billing_order_subscription_id_key" ON "billing_order"("subscription_id");

-- CreateIndex
CREATE INDEX "billing_order_tenant_id_idx" ON "billing_order"("tenant_id");

-- CreateIndex
CREATE UNIQUE INDEX "billing_customer_customer_id_key" ON "billing_customer"("customer_id");

-- CreateIndex
CREATE UNIQUE INDEX "invoice_provider_invoice_id_key" ON "invoice"("provider_invoice_id");

-- CreateIndex
CREATE INDEX "invoice_order_id_idx" ON "invoice"("order_id");

-- CreateIndex
CREATE INDEX "invoice_tenant_id_created_at_id_idx" ON "invoice"("tenant_id", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "idempotent_call_tenant_id_method_route_key_digest_key" ON "idempotent_call"("tenant_id", "method", "route", "key_digest");

-- CreateIndex
CREATE INDEX "idempotent_call_forget_at_idx" ON "idempotent_call"("forget_at");

-- AddForeignKey
ALTER TABLE "billing_order" ADD CONSTRAINT "billing_order_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenant"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "billing_customer" ADD CONSTRAINT "billing_customer_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenant"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "invoice" ADD CONSTRAINT "invoice_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenant"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "invoice" ADD CONSTRAINT "invoice_order_id_fkey" FOREIGN KEY ("order_id") REFERENCES "billing_order"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "idempotent_call" ADD CONSTRAINT "idempotent_call_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenant"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
