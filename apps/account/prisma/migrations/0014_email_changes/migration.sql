-- A process of the previous release fails to write a mail of a kind that it does not know, and leaves it to be sent again later.
ALTER TYPE "mail_kind" ADD VALUE 'email_change';
ALTER TYPE "mail_kind" ADD VALUE 'email_change_requested';
ALTER TYPE "mail_kind" ADD VALUE 'email_changed';

ALTER TABLE "outbox_mail" ADD COLUMN "account_id" TEXT;

CREATE TABLE "email_change" (
    "account_id" TEXT NOT NULL,
    "new_email" TEXT NOT NULL,
    "digest" BYTEA,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "email_change_pkey" PRIMARY KEY ("account_id")
);

CREATE UNIQUE INDEX "email_change_digest_key" ON "email_change"("digest");

CREATE INDEX "email_change_expires_at_idx" ON "email_change"("expires_at");

ALTER TABLE "email_change" ADD CONSTRAINT "email_change_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;
