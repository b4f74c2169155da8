-- AlterTable: absent until the next connection is labelled
ALTER TABLE "labeler_state" ADD COLUMN "connected" BYTEA;
