-- Which plans there are is said by libs/domain/pricing/data/plans.json alone: every plan is looked up there before it is written.
ALTER TABLE "tenant" DROP CONSTRAINT "tenant_plan_known";
