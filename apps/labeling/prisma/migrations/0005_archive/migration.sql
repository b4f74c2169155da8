-- CreateTable
CREATE TABLE "archive_file" (
    "symbol" TEXT NOT NULL,
    "channel" TEXT NOT NULL,
    "hour_ms" BIGINT NOT NULL,
    "object_key" TEXT NOT NULL,
    "row_total" BIGINT NOT NULL,
    "sha256" TEXT NOT NULL,
    "state" TEXT NOT NULL,

    CONSTRAINT "archive_file_pkey" PRIMARY KEY ("symbol","channel","hour_ms")
);

-- CreateTable
CREATE TABLE "archived_packet" (
    "event_id" TEXT NOT NULL,
    "symbol" TEXT NOT NULL,
    "window_end_ms" BIGINT NOT NULL,

    CONSTRAINT "archived_packet_pkey" PRIMARY KEY ("event_id")
);

-- CreateIndex
CREATE INDEX "archived_packet_symbol_window_end_ms_idx" ON "archived_packet"("symbol", "window_end_ms");
