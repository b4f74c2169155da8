-- CreateTable
CREATE TABLE "gap_telling" (
    "gap_id" TEXT NOT NULL,
    "told_ms" BIGINT NOT NULL,
    "end_ms" BIGINT NOT NULL,
    "resolution" TEXT NOT NULL,

    CONSTRAINT "gap_telling_pkey" PRIMARY KEY ("gap_id","told_ms")
);

-- The gaps that are there were told by the entries that name them, the end by the last of these and never before it lay in the past.
-- Where no such entry is left in the database, a gap counts as told when it began.
WITH "status" AS MATERIALIZED (
    SELECT "symbol", "received_ts_ms", "payload" FROM "log_entry" WHERE "channel" = 'control' AND position(convert_to('gap_', 'UTF8') IN "payload") > 0
),
"told" AS (
    SELECT "gap"."gap_id", "gap"."end_ms", "gap"."resolution",
        coalesce(min("received_ts_ms"), "gap"."start_ms") AS "first_ms",
        greatest(coalesce(max("received_ts_ms"), "gap"."start_ms"), "gap"."end_ms") AS "last_ms"
    FROM "gap"
    LEFT JOIN "status" ON "status"."symbol" = "gap"."symbol" AND position(convert_to("gap"."gap_id", 'UTF8') IN "payload") > 0
    GROUP BY "gap"."gap_id"
)
INSERT INTO "gap_telling"
SELECT "gap_id", "first_ms", 0, 'open' FROM "told" WHERE "end_ms" = 0 OR "first_ms" < "last_ms"
UNION ALL
SELECT "gap_id", "last_ms", "end_ms", "resolution" FROM "told" WHERE "end_ms" <> 0;
