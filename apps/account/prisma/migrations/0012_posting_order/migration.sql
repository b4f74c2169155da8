CREATE INDEX CONCURRENTLY "posting_tenant_id_id_idx" ON "posting"("tenant_id", "id");
