-- Whoever changes what a key grants, by whatever way, tells every listener of channel `api_key_changed` at commit:
-- `<key id>:<digest in hex>`, with the digest by which the key was known before.
CREATE FUNCTION "notify_api_key_changed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('api_key_changed', OLD."id" || ':' || encode(OLD."digest", 'hex'));
    RETURN NULL;
END;
$$;

CREATE TRIGGER "api_key_updated" AFTER UPDATE ON "api_key" FOR EACH ROW
WHEN (
    (OLD."id", OLD."tenant_id", OLD."kind", OLD."scopes", OLD."digest", OLD."expires_at", OLD."revoked_at")
    IS DISTINCT FROM
    (NEW."id", NEW."tenant_id", NEW."kind", NEW."scopes", NEW."digest", NEW."expires_at", NEW."revoked_at")
)
EXECUTE FUNCTION "notify_api_key_changed"();

CREATE TRIGGER "api_key_deleted" AFTER DELETE ON "api_key" FOR EACH ROW
EXECUTE FUNCTION "notify_api_key_changed"();

-- Emptying the table at once would pass the triggers above by.
CREATE FUNCTION "refuse_api_key_truncate"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'api_key is never truncated: delete its rows, so that every listener is told';
END;
$$;

CREATE TRIGGER "api_key_truncated" BEFORE TRUNCATE ON "api_key" FOR EACH STATEMENT
EXECUTE FUNCTION "refuse_api_key_truncate"();
