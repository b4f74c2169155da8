-- AlterTable: packets stored before name no entry
ALTER TABLE "packet" ADD COLUMN "closing_epoch" INTEGER,
ADD COLUMN "closing_ordinal" BIGINT;
