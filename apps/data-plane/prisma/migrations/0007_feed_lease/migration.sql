-- Who may append to the log of each symbol
CREATE TABLE "feed_lease" (
    "symbol" TEXT NOT NULL,
    "fence" BIGINT NOT NULL,
    "holder" TEXT,
    "renewed_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "feed_lease_pkey" PRIMARY KEY ("symbol")
);
