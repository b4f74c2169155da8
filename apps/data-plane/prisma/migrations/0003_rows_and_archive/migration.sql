-- Rows are partitioned by channel, then by UTC day, so that each channel is kept for as long as its own setting says.
-- CreateTable
ALTER TABLE "log_entry" RENAME TO "log_entry_unflagged";
ALTER TABLE "log_entry_unflagged" RENAME CONSTRAINT "log_entry_pkey" TO "log_entry_unflagged_pkey";
ALTER INDEX "log_entry_symbol_channel_exchange_ts_ms_idx" RENAME TO "log_entry_unflagged_idx";

CREATE TABLE "log_entry" (
    "symbol" TEXT NOT NULL,
    "ordinal" BIGINT NOT NULL,
    "epoch" INTEGER NOT NULL,
    "channel" TEXT NOT NULL,
    "pass" INTEGER NOT NULL,
    "venue_id" TEXT,
    "exchange_ts_ms" BIGINT NOT NULL,
    "received_ts_ms" BIGINT NOT NULL,
    "flags" SMALLINT NOT NULL,
    "payload" BYTEA NOT NULL,
    "price" DECIMAL,
    "size" DECIMAL,
    "venue_size" DECIMAL,
    "aggressor_side" TEXT,

    CONSTRAINT "log_entry_pkey" PRIMARY KEY ("symbol","ordinal","channel","exchange_ts_ms")
) PARTITION BY LIST ("channel");

CREATE UNIQUE INDEX "log_entry_symbol_channel_pass_venue_id_exchange_ts_ms_key" ON "log_entry"("symbol", "channel", "pass", "venue_id", "exchange_ts_ms");
CREATE INDEX "log_entry_symbol_channel_exchange_ts_ms_idx" ON "log_entry"("symbol", "channel", "exchange_ts_ms");

CREATE TABLE "log_entry_book" PARTITION OF "log_entry" FOR VALUES IN ('book') PARTITION BY RANGE ("exchange_ts_ms");
CREATE TABLE "log_entry_trade" PARTITION OF "log_entry" FOR VALUES IN ('trade') PARTITION BY RANGE ("exchange_ts_ms");
CREATE TABLE "log_entry_context" PARTITION OF "log_entry" FOR VALUES IN ('context') PARTITION BY RANGE ("exchange_ts_ms");
CREATE TABLE "log_entry_liquidation" PARTITION OF "log_entry" FOR VALUES IN ('liquidation') PARTITION BY RANGE ("exchange_ts_ms");
CREATE TABLE "log_entry_control" PARTITION OF "log_entry" FOR VALUES IN ('control') PARTITION BY RANGE ("exchange_ts_ms");

-- CreateTable
CREATE TABLE "row_state" (
    "symbol" TEXT NOT NULL,
    "state" JSONB NOT NULL,

    CONSTRAINT "row_state_pkey" PRIMARY KEY ("symbol")
);

-- CreateTable
CREATE TABLE "channel_hour" (
    "symbol" TEXT NOT NULL,
    "channel" TEXT NOT NULL,
    "hour_ms" BIGINT NOT NULL,
    "row_total" BIGINT NOT NULL,
    "duplicate_total" BIGINT NOT NULL,
    "payload_bytes" BIGINT NOT NULL,
    "first_ordinal" BIGINT NOT NULL,
    "last_ordinal" BIGINT NOT NULL,
    "min_exchange_ms" BIGINT NOT NULL,
    "max_exchange_ms" BIGINT NOT NULL,

    CONSTRAINT "channel_hour_pkey" PRIMARY KEY ("symbol","channel","hour_ms")
);

-- CreateTable
CREATE TABLE "candle_minute" (
    "symbol" TEXT NOT NULL,
    "open_ms" BIGINT NOT NULL,
    "open" DECIMAL NOT NULL,
    "high" DECIMAL NOT NULL,
    "low" DECIMAL NOT NULL,
    "close" DECIMAL NOT NULL,
    "volume" DECIMAL NOT NULL,
    "notional" DECIMAL NOT NULL,
    "trade_total" BIGINT NOT NULL,
    "open_key" TEXT NOT NULL,
    "close_key" TEXT NOT NULL,

    CONSTRAINT "candle_minute_pkey" PRIMARY KEY ("symbol","open_ms")
);

-- CreateTable
CREATE TABLE "archive_file" (
    "symbol" TEXT NOT NULL,
    "channel" TEXT NOT NULL,
    "hour_ms" BIGINT NOT NULL,
    "object_key" TEXT NOT NULL,
    "row_total" BIGINT NOT NULL,
    "byte_total" BIGINT NOT NULL,
    "sha256" TEXT NOT NULL,
    "rows_sha256" TEXT NOT NULL,
    "first_ordinal" BIGINT NOT NULL,
    "last_ordinal" BIGINT NOT NULL,
    "min_exchange_ms" BIGINT NOT NULL,
    "max_exchange_ms" BIGINT NOT NULL,
    "gap_ids" TEXT[],
    "verified_at_ms" BIGINT NOT NULL,

    CONSTRAINT "archive_file_pkey" PRIMARY KEY ("symbol","channel","hour_ms")
);

-- CreateTable
CREATE TABLE "retention" (
    "channel" TEXT NOT NULL,
    "hot_from_ms" BIGINT NOT NULL,
    "archive_from_ms" BIGINT NOT NULL,

    CONSTRAINT "retention_pkey" PRIMARY KEY ("channel")
);

-- CreateTable
CREATE TABLE "served_instrument" (
    "symbol" TEXT NOT NULL,
    "feed" TEXT NOT NULL,
    "venue" TEXT NOT NULL,
    "venue_instrument" TEXT NOT NULL,
    "contract_value" DECIMAL,
    "source_kind" TEXT NOT NULL,

    CONSTRAINT "served_instrument_pkey" PRIMARY KEY ("symbol")
);

-- Rows of the layout before: days of their own for each channel, repeats without their id, flags as far as rows and ledger tell them.
DO $$
DECLARE
    part RECORD;
BEGIN
    FOR part IN SELECT DISTINCT "channel", "exchange_ts_ms" / 86400000 AS "day" FROM "log_entry_unflagged" LOOP
        EXECUTE format(
            'CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%s) TO (%s)',
            'log_entry_' || part."channel" || '_' || to_char(to_timestamp(part."day" * 86400) AT TIME ZONE 'UTC', 'YYYYMMDD'),
            'log_entry_' || part."channel", part."day" * 86400000, (part."day" + 1) * 86400000
        );
    END LOOP;
END $$;

-- Every row so far is of a recording of Binance COIN-M, whose windows close after 1,000 ms.
INSERT INTO "log_entry"
WITH "entry" AS (
    SELECT *,
        "venue_id" <> '' AND row_number() OVER (PARTITION BY "symbol", "channel", "pass", "venue_id", "exchange_ts_ms" ORDER BY "ordinal") > 1 AS "repeats",
        max("received_ts_ms") FILTER (WHERE "channel" = 'control') OVER (PARTITION BY "symbol" ORDER BY "ordinal") AS "clock_ms",
        min("received_ts_ms") FILTER (WHERE "channel" = 'control') OVER (PARTITION BY "symbol") AS "first_clock_ms"
    FROM "log_entry_unflagged"
),
"after_gap" AS (
    SELECT "gap"."symbol", "first"."ordinal", "cut"."channel" = 'book' AND "gap"."resolution" = 'resynced' AS "resynced"
    FROM "gap"
    JOIN (VALUES ('book'), ('trade')) AS "cut"("channel") ON "cut"."channel" = coalesce("gap"."channel", "cut"."channel")
    CROSS JOIN LATERAL (
        SELECT "ordinal" FROM "log_entry_unflagged" AS "row"
        WHERE "row"."symbol" = "gap"."symbol" AND "row"."channel" = "cut"."channel" AND "row"."exchange_ts_ms" > "gap"."start_ms"
        ORDER BY "exchange_ts_ms", "ordinal" LIMIT 1
    ) AS "first"
),
"snapshot" AS (
    SELECT "symbol", min("ordinal") AS "ordinal" FROM "log_entry_unflagged" WHERE "channel" = 'book' GROUP BY "symbol", "epoch", "pass"
    UNION
    SELECT "symbol", "ordinal" FROM "after_gap" WHERE "resynced"
)
SELECT "symbol", "ordinal", "epoch", "channel", "pass", CASE WHEN NOT "repeats" THEN nullif("venue_id", '') END, "exchange_ts_ms", "received_ts_ms",
    CASE WHEN ("symbol", "ordinal") IN (SELECT "symbol", "ordinal" FROM "snapshot") THEN 1 ELSE 0 END
    + CASE WHEN "channel" <> 'control' AND "exchange_ts_ms" <= ("clock_ms" - 1000) / 10000 * 10000
        AND "exchange_ts_ms" > ("first_clock_ms" - 1) / 10000 * 10000 THEN 2 ELSE 0 END
    + CASE WHEN "channel" <> 'control' AND abs("exchange_ts_ms" - "received_ts_ms") > 2000 THEN 4 ELSE 0 END
    + CASE WHEN ("symbol", "ordinal") IN (SELECT "symbol", "ordinal" FROM "after_gap") THEN 8 ELSE 0 END
    + CASE WHEN "repeats" THEN 32 ELSE 0 END,
    "payload", "price", "size", "venue_size", "aggressor_side"
FROM "entry";

DROP TABLE "log_entry_unflagged";

INSERT INTO "channel_hour"
SELECT "symbol", "channel", "received_ts_ms" / 3600000 * 3600000, count(*) FILTER (WHERE "flags" & 32 = 0), count(*) FILTER (WHERE "flags" & 32 <> 0),
    sum(length("payload")), min("ordinal"), max("ordinal"), min("exchange_ts_ms"), max("exchange_ts_ms")
FROM "log_entry" GROUP BY 1, 2, 3;

INSERT INTO "candle_minute"
SELECT "symbol", "open_ms", "prices"[1], "high", "low", "prices"[cardinality("prices")], "volume", "notional", "trade_total", "open_key", "close_key"
FROM (
    SELECT "symbol", "exchange_ts_ms" / 60000 * 60000 AS "open_ms", array_agg("price" ORDER BY "key", "ordinal") AS "prices", max("price") AS "high", min("price") AS "low",
        sum("size") AS "volume", sum(coalesce("venue_size" * "contract_value", "price" * "size")) AS "notional", count(*) AS "trade_total",
        min("key") AS "open_key", max("key") AS "close_key"
    FROM "log_entry"
    LEFT JOIN (VALUES ('BTCUSD-PERP', 100), ('ETHUSD-PERP', 10)) AS "contract"("of_symbol", "contract_value") ON "of_symbol" = "symbol"
    CROSS JOIN LATERAL (
        SELECT (lpad("exchange_ts_ms"::text, 16, '0') || lpad("pass"::text, 10, '0') || CASE
            WHEN "venue_id" ~ '^[0-9]+$' THEN '0' || lpad(length(ltrim("venue_id", '0'))::text, 4, '0') || ltrim("venue_id", '0') || ' ' || "venue_id"
            ELSE '1' || coalesce("venue_id", '')
        END) COLLATE "C" AS "key"
    ) AS "keyed"
    WHERE "channel" = 'trade' AND "flags" & 32 = 0
    GROUP BY 1, 2
) AS "minute";
