-- CreateEnum
CREATE TYPE "key_kind" AS ENUM ('live', 'test');

-- CreateEnum
CREATE TYPE "key_scope" AS ENUM ('read', 'export', 'automation', 'account');

-- CreateTable
CREATE TABLE "tenant" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "tenant_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "tenant_name_length" CHECK (char_length("name") BETWEEN 1 AND 100)
);

-- CreateTable
CREATE TABLE "api_key" (
    "id" TEXT NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "kind" "key_kind" NOT NULL,
    "scopes" "key_scope"[],
    "digest" BYTEA NOT NULL,
    "display_first" TEXT NOT NULL,
    "display_last" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_key_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "api_key_scopes_given" CHECK ("scopes" IS NOT NULL AND cardinality("scopes") >= 1),
    CONSTRAINT "api_key_digest_length" CHECK (octet_length("digest") = 32),
    CONSTRAINT "api_key_display_length" CHECK (char_length("display_first") = 12 AND char_length("display_last") = 4)
);

-- CreateIndex
CREATE UNIQUE INDEX "tenant_name_key" ON "tenant"("name");

-- CreateIndex
CREATE UNIQUE INDEX "api_key_digest_key" ON "api_key"("digest");

-- CreateIndex
CREATE INDEX "api_key_tenant_id_idx" ON "api_key"("tenant_id");

-- CreateIndex
CREATE INDEX "api_key_expires_at_idx" ON "api_key"("expires_at");

-- AddForeignKey
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenant"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
