-- AlterTable: of packets stored before, what they tell of it. Written as a change of type, for a stored packet is never updated.
ALTER TABLE "packet" ADD COLUMN "known_ts_ms" BIGINT;

ALTER TABLE "packet" ALTER COLUMN "known_ts_ms" TYPE BIGINT USING greatest("window_end_ms", "generated_ts_ms" - "source_lag_ms"),
ALTER COLUMN "known_ts_ms" SET NOT NULL;
