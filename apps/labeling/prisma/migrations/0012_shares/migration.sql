-- Packets that tenants show to whoever has the link, for a time.
CREATE TABLE "share" (
    "share_id" TEXT NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "operation_id" TEXT NOT NULL,
    "created_ms" BIGINT NOT NULL,
    "expires_ms" BIGINT NOT NULL,
    "revoked_ms" BIGINT,
    "symbol" TEXT NOT NULL,
    "window_end_ms" BIGINT NOT NULL,
    "packet_id" TEXT NOT NULL,
    "event_id" TEXT NOT NULL,
    "packet_digest" TEXT NOT NULL,
    "lineage_digest" TEXT NOT NULL,
    "input_digest" TEXT NOT NULL,
    "policy_digest" TEXT NOT NULL,
    "generated_ts_ms" BIGINT NOT NULL,
    "source_kind" "source_kind" NOT NULL,
    "signature" BYTEA,
    "signing_key_id" TEXT,
    "state" TEXT NOT NULL,
    "state_label" TEXT NOT NULL,
    "packed_body" BYTEA,

    CONSTRAINT "share_pkey" PRIMARY KEY ("share_id"),
    CONSTRAINT "share_signing_key_id_fkey" FOREIGN KEY ("signing_key_id") REFERENCES "signing_key"("key_id") ON DELETE RESTRICT ON UPDATE CASCADE
);

CREATE UNIQUE INDEX "share_tenant_id_operation_id_key" ON "share"("tenant_id", "operation_id");
CREATE INDEX "share_tenant_id_created_ms_share_id_idx" ON "share"("tenant_id", "created_ms", "share_id");
CREATE INDEX "share_expires_ms_idx" ON "share"("expires_ms");

-- Packed bytes are not packed again.
ALTER TABLE "share" ALTER COLUMN "packed_body" SET STORAGE EXTERNAL;
