-- A key that is made, or gets another secret, is told to every listener of channel `api_key_changed` too, by its new digest:
-- whoever remembers that digest as unknown must ask again.
CREATE FUNCTION "notify_api_key_made"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('api_key_changed', NEW."id" || ':' || encode(NEW."digest", 'hex'));
    RETURN NULL;
END;
$$;

CREATE TRIGGER "api_key_made" AFTER INSERT ON "api_key" FOR EACH ROW
EXECUTE FUNCTION "notify_api_key_made"();

CREATE TRIGGER "api_key_renewed" AFTER UPDATE ON "api_key" FOR EACH ROW
WHEN (OLD."digest" IS DISTINCT FROM NEW."digest")
EXECUTE FUNCTION "notify_api_key_made"();
