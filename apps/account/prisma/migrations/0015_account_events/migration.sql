CREATE TABLE "account_event" (
    "id" TEXT NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "account_id" TEXT,
    "key_id" TEXT,
    "subject_id" TEXT,
    "address" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "account_event_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "account_event_tenant_id_created_at_id_idx" ON "account_event"("tenant_id", "created_at", "id");

CREATE INDEX "account_event_created_at_idx" ON "account_event"("created_at");

-- Nothing changes an event, and nothing deletes one that is younger than its retention.
CREATE FUNCTION "refuse_change_of_event"() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_OP = 'DELETE' AND OLD.created_at < now() - interval '400 days' THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'account_event is append-only' USING ERRCODE = 'insufficient_privilege';
END;
$$;

CREATE TRIGGER "account_event_append_only" BEFORE UPDATE OR DELETE ON "account_event" FOR EACH ROW EXECUTE FUNCTION "refuse_change_of_event"();
CREATE TRIGGER "account_event_not_truncated" BEFORE TRUNCATE ON "account_event" FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change_of_event"();

-- The service may not delete events; this function deletes those past their retention.
CREATE FUNCTION "forget_account_events"("rows_max" INTEGER) RETURNS INTEGER LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    deleted INTEGER;
BEGIN
    DELETE FROM public.account_event WHERE id IN
        (SELECT id FROM public.account_event WHERE created_at < now() - interval '400 days' LIMIT rows_max);
    GET DIAGNOSTICS deleted = ROW_COUNT;
    RETURN deleted;
END;
$$;
