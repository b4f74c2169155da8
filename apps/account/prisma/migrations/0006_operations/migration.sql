-- AlterTable
ALTER TABLE "api_key" ADD COLUMN "operation_id" TEXT;

-- AlterTable
ALTER TABLE "billing_order" ADD COLUMN "operation_id" TEXT;

-- CreateIndex
CREATE UNIQUE INDEX "api_key_tenant_id_operation_id_key" ON "api_key"("tenant_id", "operation_id");

-- CreateIndex
CREATE UNIQUE INDEX "billing_order_tenant_id_operation_id_key" ON "billing_order"("tenant_id", "operation_id");

-- CreateIndex
CREATE INDEX "billing_order_status_created_at_id_idx" ON "billing_order"("status", "created_at", "id");
