-- AlterTable
ALTER TABLE "api_key" ADD COLUMN "name" TEXT NOT NULL DEFAULT 'key';
ALTER TABLE "api_key" ALTER COLUMN "name" DROP DEFAULT;
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_name_length" CHECK (char_length("name") BETWEEN 1 AND 100);

-- CreateTable
CREATE TABLE "account" (
    "id" TEXT NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "email_digest" BYTEA NOT NULL,
    "password_hash" TEXT NOT NULL,
    "claimed_key_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "account_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "account_email_length" CHECK (char_length("email") BETWEEN 3 AND 254),
    CONSTRAINT "account_email_digest_length" CHECK (octet_length("email_digest") = 32)
);

-- CreateTable
CREATE TABLE "known_address" (
    "account_id" TEXT NOT NULL,
    "address" TEXT NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "known_address_pkey" PRIMARY KEY ("account_id", "address")
);

-- CreateTable
CREATE TABLE "session" (
    "digest" BYTEA NOT NULL,
    "account_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "last_used_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "session_pkey" PRIMARY KEY ("digest"),
    CONSTRAINT "session_digest_length" CHECK (octet_length("digest") = 32)
);

-- CreateTable
CREATE TABLE "claim_token" (
    "digest" BYTEA NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3),

    CONSTRAINT "claim_token_pkey" PRIMARY KEY ("digest"),
    CONSTRAINT "claim_token_digest_length" CHECK (octet_length("digest") = 32)
);

-- CreateTable
CREATE TABLE "password_reset" (
    "account_id" TEXT NOT NULL,
    "digest" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "password_reset_pkey" PRIMARY KEY ("account_id"),
    CONSTRAINT "password_reset_digest_length" CHECK (octet_length("digest") = 32)
);

-- CreateTable
CREATE TABLE "throttle" (
    "scope" TEXT NOT NULL,
    "subject" BYTEA NOT NULL,
    "stamps" BIGINT[] NOT NULL,
    "last_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "throttle_pkey" PRIMARY KEY ("scope", "subject"),
    CONSTRAINT "throttle_subject_length" CHECK (octet_length("subject") = 32)
);

-- CreateTable
CREATE TABLE "outbox_mail" (
    "id" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "due_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "outbox_mail_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "account_email_digest_key" ON "account"("email_digest");

-- CreateIndex
CREATE UNIQUE INDEX "account_claimed_key_id_key" ON "account"("claimed_key_id");

-- CreateIndex
CREATE INDEX "account_tenant_id_idx" ON "account"("tenant_id");

-- CreateIndex
CREATE INDEX "session_account_id_created_at_idx" ON "session"("account_id", "created_at");

-- CreateIndex
CREATE INDEX "session_expires_at_idx" ON "session"("expires_at");

-- CreateIndex
CREATE INDEX "session_last_used_at_idx" ON "session"("last_used_at");

-- CreateIndex
CREATE INDEX "claim_token_tenant_id_idx" ON "claim_token"("tenant_id");

-- CreateIndex
CREATE INDEX "claim_token_expires_at_idx" ON "claim_token"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "password_reset_digest_key" ON "password_reset"("digest");

-- CreateIndex
CREATE INDEX "throttle_last_at_idx" ON "throttle"("last_at");

-- CreateIndex
CREATE INDEX "outbox_mail_due_at_idx" ON "outbox_mail"("due_at");

-- AddForeignKey
ALTER TABLE "account" ADD CONSTRAINT "account_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenant"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "known_address" ADD CONSTRAINT "known_address_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "session" ADD CONSTRAINT "session_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "claim_token" ADD CONSTRAINT "claim_token_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenant"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "password_reset" ADD CONSTRAINT "password_reset_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- A session that ends is deleted, by whatever way; every listener of channel `session_ended` is told its digest in hex at commit.
CREATE FUNCTION "notify_session_ended"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('session_ended', encode(OLD."digest", 'hex'));
    RETURN NULL;
END;
$$;

CREATE TRIGGER "session_deleted" AFTER DELETE ON "session" FOR EACH ROW
EXECUTE FUNCTION "notify_session_ended"();

-- Another account or another end makes it another session.
CREATE TRIGGER "session_updated" AFTER UPDATE ON "session" FOR EACH ROW
WHEN ((OLD."digest", OLD."account_id", OLD."expires_at") IS DISTINCT FROM (NEW."digest", NEW."account_id", NEW."expires_at"))
EXECUTE FUNCTION "notify_session_ended"();

CREATE FUNCTION "refuse_session_truncate"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'session is never truncated: delete its rows, so that every listener is told';
END;
$$;

CREATE TRIGGER "session_truncated" BEFORE TRUNCATE ON "session" FOR EACH STATEMENT
EXECUTE FUNCTION "refuse_session_truncate"();

-- A tenant that is disabled loses its sessions for good; its keys open nothing while it is. Every listener of channel `tenant_changed` is
-- told the id of a tenant whose grants must be asked for again.
CREATE FUNCTION "notify_tenant_changed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW."disabled" AND NOT OLD."disabled" THEN
        DELETE FROM "session" WHERE "account_id" IN (SELECT "id" FROM "account" WHERE "tenant_id" = NEW."id");
    END IF;
    PERFORM pg_notify('tenant_changed', OLD."id");
    RETURN NULL;
END;
$$;

CREATE TRIGGER "tenant_updated" AFTER UPDATE ON "tenant" FOR EACH ROW
WHEN ((OLD."id", OLD."plan_id", OLD."disabled") IS DISTINCT FROM (NEW."id", NEW."plan_id", NEW."disabled"))
EXECUTE FUNCTION "notify_tenant_changed"();
