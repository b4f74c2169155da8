CREATE TABLE "credit_ceiling" (
    "id" TEXT NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "credits" BIGINT NOT NULL,
    "window_seconds" INTEGER NOT NULL,
    "window_from" TIMESTAMPTZ(3) NOT NULL,
    "spent" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "credit_ceiling_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "credit_ceiling_credits" CHECK ("credits" BETWEEN 1 AND 1000000000),
    CONSTRAINT "credit_ceiling_window" CHECK ("window_seconds" BETWEEN 60 AND 2678400)
);

CREATE INDEX "credit_ceiling_tenant_id_idx" ON "credit_ceiling"("tenant_id");

ALTER TABLE "credit_ceiling" ADD CONSTRAINT "credit_ceiling_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenant"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE "api_key" ADD COLUMN "ceiling_id" TEXT;

CREATE INDEX "api_key_ceiling_id_idx" ON "api_key"("ceiling_id");

ALTER TABLE "api_key" ADD CONSTRAINT "api_key_ceiling_id_fkey" FOREIGN KEY ("ceiling_id") REFERENCES "credit_ceiling"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE "credit_hold" ADD COLUMN "ceiling_id" TEXT, ADD COLUMN "ceiling_from" TIMESTAMPTZ(3);

-- A key that gets a ceiling, or loses it, is told like one that is narrowed: whoever remembers what it grants asks again.
DROP TRIGGER "api_key_updated" ON "api_key";

CREATE TRIGGER "api_key_updated" AFTER UPDATE ON "api_key" FOR EACH ROW
WHEN (
    (OLD."id", OLD."tenant_id", OLD."kind", OLD."scopes", OLD."digest", OLD."expires_at", OLD."revoked_at", OLD."ceiling_id")
    IS DISTINCT FROM
    (NEW."id", NEW."tenant_id", NEW."kind", NEW."scopes", NEW."digest", NEW."expires_at", NEW."revoked_at", NEW."ceiling_id")
)
EXECUTE FUNCTION "notify_api_key_changed"();
