-- AlterTable: of packets stored before, what they tell of it
ALTER TABLE "packet" ADD COLUMN "known_ts_ms" BIGINT;

UPDATE "packet" SET "known_ts_ms" = greatest("window_end_ms", "generated_ts_ms" - "source_lag_ms");

ALTER TABLE "packet" ALTER COLUMN "known_ts_ms" SET NOT NULL;
