-- An operation is one of its tenant: two tenants may use the same id.
CREATE UNIQUE INDEX "watchlist_tenant_id_operation_id_key" ON "watchlist"("tenant_id", "operation_id");
CREATE UNIQUE INDEX "saved_search_tenant_id_operation_id_key" ON "saved_search"("tenant_id", "operation_id");
CREATE UNIQUE INDEX "endpoint_tenant_id_operation_id_key" ON "endpoint"("tenant_id", "operation_id");
DROP INDEX "watchlist_operation_id_key";
DROP INDEX "saved_search_operation_id_key";
DROP INDEX "endpoint_operation_id_key";
