-- Packets are numbered anew when labeling begins anew, and an input is known by its window.
-- Of two inputs for a window the later one counts.
DELETE FROM "rule_input" AS "earlier" USING "rule_input" AS "later"
WHERE "earlier"."symbol" = "later"."symbol" AND "earlier"."window_end_ms" = "later"."window_end_ms" AND "earlier"."sequence" < "later"."sequence";
DROP INDEX "rule_input_symbol_window_end_ms_idx";
ALTER TABLE "rule_input" DROP CONSTRAINT "rule_input_pkey";
ALTER TABLE "rule_input" ADD CONSTRAINT "rule_input_pkey" PRIMARY KEY ("symbol", "window_end_ms");

-- Messages about packets are limited a day.
ALTER TABLE "message_order" ADD COLUMN "day" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "message_order" ADD COLUMN "about_packets" INTEGER NOT NULL DEFAULT 0;

-- Room for a standing to be written beside its old one, so that no index is touched.
ALTER TABLE "rule_state" SET (fillfactor = 50);
