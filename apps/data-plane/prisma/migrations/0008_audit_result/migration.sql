-- What each run of the audit against the venue found
CREATE TABLE "audit_result" (
    "symbol" TEXT NOT NULL,
    "measure" TEXT NOT NULL,
    "run_ms" BIGINT NOT NULL,
    "venue" TEXT NOT NULL,
    "source" TEXT NOT NULL,
    "from_ms" BIGINT NOT NULL,
    "to_ms" BIGINT NOT NULL,
    "compared_total" INTEGER NOT NULL,
    "equal_total" INTEGER NOT NULL,
    "not_compared_total" INTEGER NOT NULL,
    "reasons" TEXT[],
    "difference_id" TEXT,
    "closes" BOOLEAN NOT NULL,
    "differs_from_ms" BIGINT,
    "differs_to_ms" BIGINT,
    "field" TEXT,
    "at_ms" BIGINT,
    "ours" TEXT,
    "theirs" TEXT,
    "apart" TEXT,

    CONSTRAINT "audit_result_pkey" PRIMARY KEY ("symbol","measure","run_ms")
);

CREATE INDEX "audit_result_difference_id_idx" ON "audit_result"("difference_id");
