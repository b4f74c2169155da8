-- Inputs of rules by UTC day of their window's end, so that a day is dropped whole. A window is in one day: inputs stay unique by symbol and window.
ALTER TABLE "rule_input" RENAME TO "rule_input_whole";
ALTER TABLE "rule_input_whole" RENAME CONSTRAINT "rule_input_pkey" TO "rule_input_whole_pkey";
CREATE TABLE "rule_input" (
    "symbol" TEXT NOT NULL,
    "sequence" BIGINT NOT NULL,
    "window_end_ms" BIGINT NOT NULL,
    "input" JSONB NOT NULL,

    CONSTRAINT "rule_input_pkey" PRIMARY KEY ("symbol", "window_end_ms")
) PARTITION BY RANGE ("window_end_ms");

-- The days that there are, and until when each is kept.
CREATE TABLE "rule_input_day" (
    "day_ms" BIGINT NOT NULL,
    "kept_until_ms" BIGINT NOT NULL,

    CONSTRAINT "rule_input_day_pkey" PRIMARY KEY ("day_ms")
);

-- Days are made and dropped by these functions alone. They run as the role that owns the tables, so that whoever calls them needs no right to
-- change a schema.

-- Name of a day's table. Days begin on a midnight of UTC between 1970 and 2100.
CREATE FUNCTION "rule_input_day_name"("day_ms" BIGINT) RETURNS TEXT LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF day_ms IS NULL OR day_ms < 0 OR day_ms >= 4102444800000 OR day_ms % 86400000 <> 0 THEN
        RAISE EXCEPTION '% is not the start of a UTC day', day_ms USING ERRCODE = 'invalid_parameter_value';
    END IF;
    RETURN 'rule_input_' || to_char(to_timestamp(day_ms / 1000) AT TIME ZONE 'UTC', 'YYYYMMDD');
END;
$$;

-- Makes a day's table unless it is there, and keeps it until then at least. It is attached rather than created in place: attaching lets readers
-- and writers of other days go on.
CREATE FUNCTION "make_rule_input_day"("day_ms" BIGINT, "kept_until_ms" BIGINT) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET lock_timeout = '5s' AS $$
#variable_conflict use_column
DECLARE
    day TEXT := public.rule_input_day_name($1);
BEGIN
    PERFORM pg_advisory_xact_lock(6310017);
    INSERT INTO public.rule_input_day AS known (day_ms, kept_until_ms) VALUES ($1, $2)
        ON CONFLICT (day_ms) DO UPDATE SET kept_until_ms = greatest(known.kept_until_ms, excluded.kept_until_ms);
    IF to_regclass(format('public.%I', day)) IS NOT NULL THEN
        RETURN;
    END IF;
    EXECUTE format('CREATE TABLE public.%I (LIKE public.rule_input INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', day);
    EXECUTE format('ALTER TABLE public.rule_input ATTACH PARTITION public.%I FOR VALUES FROM (%s) TO (%s)', day, $1, $1 + 86400000);
END;
$$;

-- Drops a day's table once it need not be kept any more, by the time of the caller. Says whether it did.
CREATE FUNCTION "drop_rule_input_day"("day_ms" BIGINT, "now_ms" BIGINT) RETURNS BOOLEAN LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s' AS $$
#variable_conflict use_column
DECLARE
    day TEXT := public.rule_input_day_name($1);
BEGIN
    PERFORM pg_advisory_xact_lock(6310017);
    DELETE FROM public.rule_input_day WHERE day_ms = $1 AND kept_until_ms <= $2;
    IF NOT FOUND THEN
        RETURN FALSE;
    END IF;
    EXECUTE format('DROP TABLE public.%I', day);
    RETURN TRUE;
END;
$$;

REVOKE ALL ON FUNCTION "rule_input_day_name"(BIGINT), "make_rule_input_day"(BIGINT, BIGINT), "drop_rule_input_day"(BIGINT, BIGINT) FROM PUBLIC;

SELECT "make_rule_input_day"("day_ms", "day_ms" + 32 * 86400000::BIGINT)
FROM (SELECT DISTINCT "window_end_ms" - "window_end_ms" % 86400000 AS "day_ms" FROM "rule_input_whole") AS "days" ORDER BY "day_ms";
INSERT INTO "rule_input" ("symbol", "sequence", "window_end_ms", "input") SELECT "symbol", "sequence", "window_end_ms", "input" FROM "rule_input_whole";
DROP TABLE "rule_input_whole";
