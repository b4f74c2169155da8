-- Dated facts of each symbol's instrument, as its venue's metadata states them
CREATE TABLE "instrument_fact" (
    "symbol" TEXT NOT NULL,
    "from_ms" BIGINT NOT NULL,
    "until_ms" BIGINT,
    "venue" TEXT NOT NULL,
    "venue_instrument" TEXT NOT NULL,
    "not_traded" TEXT,
    "quote" TEXT,
    "multiplier" TEXT,
    "tick_size" TEXT,
    "lot_size" TEXT,
    "contract_value" TEXT,
    "contract_size" TEXT,
    "funding_interval_hours" INTEGER,
    "listed_ms" BIGINT,
    "ends_ms" BIGINT,

    CONSTRAINT "instrument_fact_pkey" PRIMARY KEY ("symbol","from_ms")
);

-- One current row of each symbol
CREATE UNIQUE INDEX "instrument_fact_current_idx" ON "instrument_fact"("symbol") WHERE "until_ms" IS NULL;
