-- AlterTable
ALTER TABLE "archive_file" ADD COLUMN "byte_total" BIGINT;
