-- A payload has the `meta` of its messages too.
ALTER TABLE "payload" ADD COLUMN "meta" JSON;
UPDATE "payload" SET "meta" = "told"."meta"
FROM (SELECT DISTINCT ON ("payload_id") "payload_id", "meta" FROM (
    SELECT "payload_id", "meta" FROM "fanout" UNION ALL SELECT "payload_id", "meta" FROM "message" WHERE "payload_id" IS NOT NULL AND "meta" IS NOT NULL
) AS "all_told") AS "told"
WHERE "payload"."payload_id" = "told"."payload_id";
UPDATE "payload" SET "meta" = '{}' WHERE "meta" IS NULL;
ALTER TABLE "payload" ALTER COLUMN "meta" SET NOT NULL;
ALTER TABLE "fanout" DROP COLUMN "meta";

-- Where rules stand is written whole with every change and never searched, so it is kept as it was written. A packet may change every row of its
-- symbol: a page has room for the new rows beside the old ones, so that indexes stay as they are.
ALTER TABLE "rule_state" ALTER COLUMN "state" TYPE JSON, ALTER COLUMN "recent" TYPE JSON;
ALTER TABLE "rule_state" SET (fillfactor = 45);
