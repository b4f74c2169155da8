CREATE TABLE "balance_hour" (
    "tenant_id" TEXT NOT NULL,
    "last_posting_id" BIGINT NOT NULL,
    "kind" "credit_kind" NOT NULL,
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "granted" BIGINT NOT NULL,
    "charged" BIGINT NOT NULL,
    "expired" BIGINT NOT NULL,
    "returned" BIGINT NOT NULL,
    "held" BIGINT NOT NULL,
    "leased" BIGINT NOT NULL,

    CONSTRAINT "balance_hour_pkey" PRIMARY KEY ("tenant_id", "last_posting_id", "kind"),
    CONSTRAINT "balance_hour_sums" CHECK ("granted" >= 0 AND "charged" >= 0 AND "expired" >= 0 AND "returned" >= 0)
);

-- A balance that was told stays: sums are append-only, like the postings that they are of.
CREATE TRIGGER "balance_hour_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "balance_hour" FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change_of_posted"();

REVOKE UPDATE, DELETE, TRUNCATE ON "balance_hour" FROM CURRENT_USER, PUBLIC;
