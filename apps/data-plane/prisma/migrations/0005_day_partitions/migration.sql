-- Days of a channel are made and dropped by these functions alone. They run as the role that owns the tables, so that whoever calls them
-- needs no right to change a schema; they take nothing but a known channel and a UTC day.

-- Name of a day's table. Days begin on a midnight of UTC between 1970 and 2100.
CREATE FUNCTION "log_entry_day"("channel" TEXT, "day_ms" BIGINT) RETURNS TEXT LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF channel IS NULL OR channel NOT IN ('book', 'trade', 'context', 'liquidation', 'control') THEN
        RAISE EXCEPTION 'there is no channel %', channel USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF day_ms IS NULL OR day_ms < 0 OR day_ms >= 4102444800000 OR day_ms % 86400000 <> 0 THEN
        RAISE EXCEPTION '% is not the start of a UTC day', day_ms USING ERRCODE = 'invalid_parameter_value';
    END IF;
    RETURN 'log_entry_' || channel || '_' || to_char(to_timestamp(day_ms / 1000) AT TIME ZONE 'UTC', 'YYYYMMDD');
END;
$$;

-- Makes a day's table unless it is there. It is attached rather than created in place: attaching lets readers and writers of other days go on.
CREATE FUNCTION "make_log_entry_day"("channel" TEXT, "day_ms" BIGINT) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    day TEXT := public.log_entry_day(channel, day_ms);
    parent TEXT := 'log_entry_' || channel;
BEGIN
    PERFORM pg_advisory_xact_lock(4801337);
    IF to_regclass(format('public.%I', day)) IS NOT NULL THEN
        RETURN;
    END IF;
    EXECUTE format('CREATE TABLE public.%I (LIKE public.%I INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', day, parent);
    EXECUTE format('ALTER TABLE public.%I ATTACH PARTITION public.%I FOR VALUES FROM (%s) TO (%s)', parent, day, day_ms, day_ms + 86400000);
END;
$$;

-- Drops a day's table when the day is over by the newest feed clock and each of its rows is in one of these files of the archive, whose bytes the
-- caller has verified. With writing to the day shut, its rows are counted against the files' spans.
CREATE FUNCTION "drop_log_entry_day"("channel" TEXT, "day_ms" BIGINT, "verified_keys" TEXT[]) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    day TEXT := public.log_entry_day(channel, day_ms);
    end_ms BIGINT := day_ms + 86400000;
    row_count BIGINT;
    archived BIGINT := 0;
    file RECORD;
BEGIN
    PERFORM pg_advisory_xact_lock(4801337);
    IF NOT EXISTS (SELECT FROM pg_inherits WHERE inhparent = to_regclass(format('public.%I', 'log_entry_' || channel)) AND inhrelid = to_regclass(format('public.%I', day))) THEN
        RAISE EXCEPTION 'there is no %', day USING ERRCODE = 'undefined_table';
    END IF;
    IF end_ms > coalesce((SELECT max(hour.max_exchange_ms) FROM public.channel_hour AS hour WHERE hour.channel = 'control'), 0) THEN
        RAISE EXCEPTION '% is not over', day USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    EXECUTE format('LOCK TABLE public.%I IN SHARE ROW EXCLUSIVE MODE', day);
    EXECUTE format('SELECT count(*) FROM public.%I', day) INTO row_count;
    FOR file IN EXECUTE format(
        'SELECT object_key, row_total, min_exchange_ms >= $2 AND max_exchange_ms < $3 AS is_inside,
             (SELECT count(*) FROM public.%I AS entry WHERE entry.symbol = file.symbol AND entry.ordinal BETWEEN file.first_ordinal AND file.last_ordinal) AS found
         FROM public.archive_file AS file WHERE file.channel = $1 AND file.object_key = ANY ($4)', day
    ) USING channel, day_ms, end_ms, verified_keys
    LOOP
        IF file.found > file.row_total OR (file.is_inside AND file.found < file.row_total) THEN
            RAISE EXCEPTION '% has % rows of %, which has %', day, file.found, file.object_key, file.row_total USING ERRCODE = 'object_not_in_prerequisite_state';
        END IF;
        archived := archived + file.found;
    END LOOP;
    IF archived <> row_count THEN
        RAISE EXCEPTION '% rows of % are in no file of the archive', row_count - archived, day USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    EXECUTE format('DROP TABLE public.%I', day);
END;
$$;

REVOKE ALL ON FUNCTION "log_entry_day"(TEXT, BIGINT), "make_log_entry_day"(TEXT, BIGINT), "drop_log_entry_day"(TEXT, BIGINT, TEXT[]) FROM PUBLIC;
