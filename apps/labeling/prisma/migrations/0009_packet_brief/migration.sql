-- AlterTable: of packets stored before, it is made when it is read
ALTER TABLE "packet" ADD COLUMN "brief" TEXT;
