-- A process of the previous release does not read this table: it opens sessions without a code until it is replaced.
CREATE TABLE "second_factor" (
    "account_id" TEXT NOT NULL,
    "sealed_secret" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "confirmed_at" TIMESTAMPTZ(3),
    "last_step" INTEGER NOT NULL DEFAULT 0,
    "recovery_digests" BYTEA[],

    CONSTRAINT "second_factor_pkey" PRIMARY KEY ("account_id")
);

ALTER TABLE "second_factor" ADD CONSTRAINT "second_factor_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;
