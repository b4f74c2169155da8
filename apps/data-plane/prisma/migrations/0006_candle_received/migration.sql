-- When the newest trade of a minute was received; minutes stored before do not say
ALTER TABLE "candle_minute" ADD COLUMN "last_received_ms" BIGINT;
