-- What gateways count of reads: by the minute for 90 days, by the day for ever.
CREATE TABLE "read_minute" (
    "minute_ms" BIGINT NOT NULL,
    "rate_class" TEXT NOT NULL,
    "counter_id" TEXT NOT NULL,
    "since_ms" BIGINT,
    "answered" INTEGER NOT NULL,
    "failed" INTEGER NOT NULL,

    CONSTRAINT "read_minute_pkey" PRIMARY KEY ("minute_ms", "rate_class", "counter_id")
);

-- What incidents are made of.
CREATE INDEX "read_minute_failed" ON "read_minute"("minute_ms") WHERE "failed" > 0;

CREATE TABLE "read_day" (
    "day_ms" BIGINT NOT NULL,
    "rate_class" TEXT NOT NULL,
    "since_ms" BIGINT,
    "minutes" INTEGER NOT NULL,
    "answered" BIGINT NOT NULL,
    "failed" BIGINT NOT NULL,

    CONSTRAINT "read_day_pkey" PRIMARY KEY ("day_ms", "rate_class")
);

CREATE TABLE "folded_read_day" (
    "day_ms" BIGINT NOT NULL,

    CONSTRAINT "folded_read_day_pkey" PRIMARY KEY ("day_ms")
);
