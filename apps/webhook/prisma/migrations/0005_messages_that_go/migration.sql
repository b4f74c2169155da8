-- Messages are emptied, then removed, both oldest first: each finds its rows without passing those of the other.
DROP INDEX "message_created_ms_idx";
CREATE INDEX "message_with_body_idx" ON "message"("created_ms") WHERE "data" IS NOT NULL OR "meta" IS NOT NULL;
CREATE INDEX "message_without_body_idx" ON "message"("created_ms", "message_id") WHERE "data" IS NULL AND "meta" IS NULL;
