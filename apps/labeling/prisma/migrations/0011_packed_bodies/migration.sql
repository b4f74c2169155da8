-- Bodies of packets stored from now on are packed; those before keep their text. Nothing is rewritten: both alterations are of the catalogue alone,
-- and the constraint is checked on rows that are written.
ALTER TABLE "packet" ADD COLUMN "packed_body" BYTEA,
ALTER COLUMN "body" DROP NOT NULL,
ADD CONSTRAINT "packet_has_one_body" CHECK (("body" IS NULL) <> ("packed_body" IS NULL)) NOT VALID;
-- Packed bytes are not packed again.
ALTER TABLE "packet" ALTER COLUMN "packed_body" SET STORAGE EXTERNAL;
