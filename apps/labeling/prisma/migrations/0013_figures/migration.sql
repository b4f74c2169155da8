-- What is counted of packets: by the minute for 90 days, by the day for ever.
CREATE TABLE "packet_minute" (
    "symbol" TEXT NOT NULL,
    "minute_ms" BIGINT NOT NULL,
    "counter_id" TEXT NOT NULL,
    "since_ms" BIGINT,
    "in_time" INTEGER NOT NULL,
    "remade" INTEGER NOT NULL,
    "closing_tick_to_packet" INTEGER[],

    CONSTRAINT "packet_minute_pkey" PRIMARY KEY ("symbol", "minute_ms", "counter_id")
);

-- What incidents are made of: minutes that may be late, and those behind which some may be missing.
CREATE INDEX "packet_minute_late" ON "packet_minute"("minute_ms") WHERE "in_time" < 6;
CREATE INDEX "packet_minute_since" ON "packet_minute"("minute_ms") WHERE "since_ms" IS NOT NULL;

CREATE TABLE "gateway_minute" (
    "symbol" TEXT NOT NULL,
    "minute_ms" BIGINT NOT NULL,
    "counter_id" TEXT NOT NULL,
    "packet_to_gateway" INTEGER[],
    "closing_tick_to_gateway" INTEGER[],

    CONSTRAINT "gateway_minute_pkey" PRIMARY KEY ("symbol", "minute_ms", "counter_id")
);

CREATE TABLE "packet_day" (
    "symbol" TEXT NOT NULL,
    "day_ms" BIGINT NOT NULL,
    "since_ms" BIGINT,
    "minutes" INTEGER NOT NULL,
    "gateway_minutes" INTEGER NOT NULL,
    "in_time" INTEGER NOT NULL,
    "remade" INTEGER NOT NULL,
    "closing_tick_to_packet" INTEGER[],
    "packet_to_gateway" INTEGER[],
    "closing_tick_to_gateway" INTEGER[],

    CONSTRAINT "packet_day_pkey" PRIMARY KEY ("symbol", "day_ms")
);

CREATE TABLE "folded_day" (
    "day_ms" BIGINT NOT NULL,

    CONSTRAINT "folded_day_pkey" PRIMARY KEY ("day_ms")
);
