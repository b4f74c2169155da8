ALTER TABLE "api_key" ADD COLUMN "calls_per_minute" INTEGER, ADD COLUMN "rate_key_id" TEXT;

ALTER TABLE "api_key" ADD CONSTRAINT "api_key_rate_whole"
  CHECK (("calls_per_minute" IS NULL) = ("rate_key_id" IS NULL) AND "calls_per_minute" >= 1) NOT VALID;

-- A key whose rate changes is told like one that is narrowed: whoever remembers what it grants asks again.
DROP TRIGGER "api_key_updated" ON "api_key";

CREATE TRIGGER "api_key_updated" AFTER UPDATE ON "api_key" FOR EACH ROW
WHEN (
    (OLD."id", OLD."tenant_id", OLD."kind", OLD."scopes", OLD."digest", OLD."expires_at", OLD."revoked_at", OLD."ceiling_id", OLD."calls_per_minute", OLD."rate_key_id")
    IS DISTINCT FROM
    (NEW."id", NEW."tenant_id", NEW."kind", NEW."scopes", NEW."digest", NEW."expires_at", NEW."revoked_at", NEW."ceiling_id", NEW."calls_per_minute", NEW."rate_key_id")
)
EXECUTE FUNCTION "notify_api_key_changed"();
