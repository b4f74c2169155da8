-- CreateTable
CREATE TABLE "signing_key" (
    "key_id" TEXT NOT NULL,
    "public_key" BYTEA NOT NULL,
    "valid_from_ms" BIGINT NOT NULL,
    "valid_to_ms" BIGINT,

    CONSTRAINT "signing_key_pkey" PRIMARY KEY ("key_id"),
    CONSTRAINT "signing_key_ed25519" CHECK (octet_length("public_key") = 32),
    CONSTRAINT "signing_key_ends_after_it_begins" CHECK ("valid_to_ms" >= "valid_from_ms")
);

-- AlterTable: packets made before are not signed
ALTER TABLE "packet" ADD COLUMN "signature" BYTEA,
ADD COLUMN "signing_key_id" TEXT,
ADD CONSTRAINT "packet_signature_has_key" CHECK (("signature" IS NULL) = ("signing_key_id" IS NULL)),
ADD CONSTRAINT "packet_signature_ed25519" CHECK (octet_length("signature") = 64);

-- AddForeignKey
ALTER TABLE "packet" ADD CONSTRAINT "packet_signing_key_id_fkey" FOREIGN KEY ("signing_key_id") REFERENCES "signing_key"("key_id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- CreateTable
CREATE TABLE "checkpoint" (
    "symbol" TEXT NOT NULL,
    "window_end_ms" BIGINT NOT NULL,
    "epoch" INTEGER NOT NULL,
    "ordinal" BIGINT NOT NULL,
    "lineage_digest" TEXT NOT NULL,
    "policy_digest" TEXT NOT NULL,
    "state_digest" TEXT NOT NULL,
    "state" BYTEA NOT NULL,

    CONSTRAINT "checkpoint_pkey" PRIMARY KEY ("symbol","window_end_ms"),
    CONSTRAINT "checkpoint_window_aligned" CHECK ("window_end_ms" > 0 AND "window_end_ms" % 10000 = 0)
);

-- It is packed already.
ALTER TABLE "checkpoint" ALTER COLUMN "state" SET STORAGE EXTERNAL;

-- A checkpoint stays as it was, like the packets.
CREATE FUNCTION "refuse_checkpoint_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a stored checkpoint is never changed';
END;
$$;

CREATE TRIGGER "checkpoint_unchanged" BEFORE UPDATE ON "checkpoint" FOR EACH ROW
EXECUTE FUNCTION "refuse_checkpoint_change"();
