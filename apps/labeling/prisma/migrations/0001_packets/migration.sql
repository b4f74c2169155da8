-- CreateEnum
CREATE TYPE "source_kind" AS ENUM ('live', 'recorded', 'simulated');

-- CreateTable
CREATE TABLE "packet" (
    "symbol" TEXT NOT NULL,
    "window_end_ms" BIGINT NOT NULL,
    "sequence" BIGINT NOT NULL,
    "packet_id" TEXT NOT NULL,
    "event_id" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "packet_digest" TEXT NOT NULL,
    "lineage_digest" TEXT NOT NULL,
    "input_digest" TEXT NOT NULL,
    "policy_digest" TEXT NOT NULL,
    "generated_ts_ms" BIGINT NOT NULL,
    "source_lag_ms" BIGINT NOT NULL,
    "headline" TEXT NOT NULL,
    "customer_next_step" TEXT NOT NULL,
    "source_kind" "source_kind" NOT NULL,

    CONSTRAINT "packet_pkey" PRIMARY KEY ("symbol","window_end_ms"),
    CONSTRAINT "packet_window_aligned" CHECK ("window_end_ms" > 0 AND "window_end_ms" % 10000 = 0),
    CONSTRAINT "packet_sequence_positive" CHECK ("sequence" >= 1),
    CONSTRAINT "packet_lag_not_negative" CHECK ("source_lag_ms" >= 0)
);

-- CreateTable
CREATE TABLE "symbol_position" (
    "symbol" TEXT NOT NULL,
    "last_sequence" BIGINT NOT NULL,
    "epoch" INTEGER NOT NULL,
    "ordinal" BIGINT NOT NULL,

    CONSTRAINT "symbol_position_pkey" PRIMARY KEY ("symbol")
);

-- CreateTable
CREATE TABLE "labeler_state" (
    "symbol" TEXT NOT NULL,
    "epoch" INTEGER NOT NULL,
    "ordinal" BIGINT NOT NULL,
    "state" BYTEA NOT NULL,

    CONSTRAINT "labeler_state_pkey" PRIMARY KEY ("symbol")
);

-- CreateIndex
CREATE UNIQUE INDEX "packet_packet_id_key" ON "packet"("packet_id");

-- CreateIndex
CREATE UNIQUE INDEX "packet_event_id_key" ON "packet"("event_id");

-- CreateIndex
CREATE UNIQUE INDEX "packet_symbol_sequence_key" ON "packet"("symbol", "sequence");

-- A packet that was given out stays as it was.
CREATE FUNCTION "refuse_packet_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a stored packet is never changed';
END;
$$;

CREATE TRIGGER "packet_unchanged" BEFORE UPDATE ON "packet" FOR EACH ROW
EXECUTE FUNCTION "refuse_packet_change"();
