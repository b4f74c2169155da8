CREATE TABLE "oidc_login" (
    "digest" BYTEA NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "oidc_login_pkey" PRIMARY KEY ("digest")
);

CREATE INDEX "oidc_login_expires_at_idx" ON "oidc_login"("expires_at");

CREATE TABLE "oidc_identity" (
    "issuer" TEXT NOT NULL,
    "client_id" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "oidc_identity_pkey" PRIMARY KEY ("issuer","client_id","subject")
);

CREATE UNIQUE INDEX "oidc_identity_account_id_issuer_client_id_key" ON "oidc_identity"("account_id", "issuer", "client_id");

ALTER TABLE "oidc_identity" ADD CONSTRAINT "oidc_identity_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "account_event" ADD COLUMN "method" TEXT;
