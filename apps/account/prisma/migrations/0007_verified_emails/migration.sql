-- When the owner of an account first followed a link that was mailed to its email; null: never.
ALTER TABLE "account" ADD COLUMN "email_verified_at" TIMESTAMPTZ(3);

-- CreateEnum
CREATE TYPE "mail_kind" AS ENUM ('reset', 'claim');

-- A process of the version before writes reset mails alone, and names no kind.
ALTER TABLE "outbox_mail" ADD COLUMN "kind" "mail_kind" NOT NULL DEFAULT 'reset';

-- CreateTable
CREATE TABLE "email_claim" (
    "digest" BYTEA NOT NULL,
    "email_digest" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "email_claim_pkey" PRIMARY KEY ("digest"),
    CONSTRAINT "email_claim_digest_length" CHECK (octet_length("digest") = 32),
    CONSTRAINT "email_claim_email_digest_length" CHECK (octet_length("email_digest") = 32)
);

-- CreateIndex
CREATE INDEX "email_claim_email_digest_idx" ON "email_claim"("email_digest");

-- CreateIndex
CREATE INDEX "email_claim_expires_at_idx" ON "email_claim"("expires_at");
