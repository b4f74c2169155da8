-- Accounts of earlier releases are owners. A process of the previous release checks no role until it is replaced.
CREATE TYPE "member_role" AS ENUM ('owner', 'member', 'read_only');

ALTER TABLE "account" ADD COLUMN "role" "member_role" NOT NULL DEFAULT 'owner', ADD COLUMN "invited" BOOLEAN NOT NULL DEFAULT false;

CREATE TABLE "invitation" (
    "id" TEXT NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "email_digest" BYTEA NOT NULL,
    "role" "member_role" NOT NULL,
    "invited_by" TEXT,
    "digest" BYTEA,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "invitation_pkey" PRIMARY KEY ("id")
);

CREATE UNIQUE INDEX "invitation_digest_key" ON "invitation"("digest");

CREATE UNIQUE INDEX "invitation_tenant_id_email_digest_key" ON "invitation"("tenant_id", "email_digest");

CREATE INDEX "invitation_expires_at_idx" ON "invitation"("expires_at");

ALTER TABLE "invitation" ADD CONSTRAINT "invitation_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenant"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- A process of the previous release fails to write a mail of a kind that it does not know, and leaves it to be sent again later.
ALTER TYPE "mail_kind" ADD VALUE 'invitation';

ALTER TABLE "outbox_mail" ADD COLUMN "invitation_id" TEXT;

ALTER TABLE "account_event" ADD COLUMN "account_email" TEXT, ADD COLUMN "subject_email" TEXT, ADD COLUMN "role" "member_role";

-- Gateways ask again what the sessions of an account with a new role grant.
CREATE FUNCTION "notify_role_changed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('session_ended', encode("digest", 'hex')) FROM "session" WHERE "account_id" = NEW."id";
    RETURN NULL;
END;
$$;

CREATE TRIGGER "account_role_updated" AFTER UPDATE ON "account" FOR EACH ROW
WHEN (OLD."role" IS DISTINCT FROM NEW."role")
EXECUTE FUNCTION "notify_role_changed"();
