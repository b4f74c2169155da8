-- What rows of a history show of a packet beside its classes. The index is made again from the packets, which hold it: of those in the database
-- here, of hours that are in the archive alone by the archiver, which enters every hour that has no events.
TRUNCATE "event";

ALTER TABLE "event" ADD COLUMN "mid_price" DOUBLE PRECISION,
ADD COLUMN "state_label" TEXT NOT NULL,
ADD COLUMN "runner_up_state" TEXT NOT NULL,
ADD COLUMN "state_margin" DOUBLE PRECISION NOT NULL;

DROP FUNCTION "event_facts";

-- As before (0007), with what is new, and with the words of reasons from the one place of their sentences: packets of the first edition hold them
-- there too.
CREATE FUNCTION "event_facts"("body" jsonb) RETURNS TABLE (
    "state" TEXT, "winner_state" TEXT, "event_class" TEXT, "event_profile" TEXT, "severity_class" TEXT, "severity_score" DOUBLE PRECISION,
    "transition_type" TEXT, "diagnosis_class" TEXT, "confidence_score" DOUBLE PRECISION, "confidence_label" TEXT,
    "contradiction_score" DOUBLE PRECISION, "novelty_score" DOUBLE PRECISION, "quality_score" INTEGER, "gap_flags" TEXT[],
    "state_age_packets" INTEGER, "tags" TEXT[], "near_threshold" BOOLEAN, "mid_price" DOUBLE PRECISION,
    "state_label" TEXT, "runner_up_state" TEXT, "state_margin" DOUBLE PRECISION, "words" tsvector
) LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT
        body->>'state', body->'state_diagnosis'->>'winner_state', body->>'event_class', body->>'event_profile',
        body->'event_severity'->>'severity_class', (body->'event_severity'->>'score')::float8,
        body->>'transition_type', body->'state_diagnosis'->>'diagnosis_class',
        (body->'confidence'->>'score')::float8, body->'confidence'->>'label',
        (body->>'contradiction_score')::float8, (body->>'novelty_score')::float8, (body->'packet_quality'->>'quality_score')::int,
        ARRAY(SELECT jsonb_array_elements_text(body->'packet_quality'->'gap_flags')),
        (body->>'state_age_packets')::int, told.tags,
        body->'state_diagnosis'->'crossed_thresholds' @> '[{"crossing_class": "near_threshold"}]',
        (body->'reference_prices'->>'mid_price')::float8, body->>'state_label', body->'state_diagnosis'->>'runner_up_state',
        (body->'state_diagnosis'->>'state_margin')::float8,
        array_to_tsvector(ARRAY(
            SELECT word FROM regexp_split_to_table(lower(concat_ws(' ', body->>'state', array_to_string(told.tags, ' '), told.reasons)), '[^a-z0-9]+') AS word
            WHERE word ~ '[a-z]'
            UNION SELECT unnest(told.tags)
            UNION SELECT unnest(ARRAY[
                'state=' || (body->>'state'), 'event_class=' || (body->>'event_class'), 'event_profile=' || (body->>'event_profile'),
                'severity_class=' || (body->'event_severity'->>'severity_class')])))
    FROM (SELECT ARRAY(SELECT jsonb_array_elements_text(body->'tags')) AS tags,
                 (SELECT string_agg(reason->>'claim', ' ') FROM jsonb_array_elements(body->'reason_details') AS reason) AS reasons) AS told
$$;

INSERT INTO "event" ("symbol", "window_end_ms", "sequence", "event_id", "known_ts_ms", "state", "winner_state", "event_class", "event_profile",
    "severity_class", "severity_score", "transition_type", "diagnosis_class", "confidence_score", "confidence_label", "contradiction_score",
    "novelty_score", "quality_score", "gap_flags", "state_age_packets", "tags", "near_threshold", "source_kind", "mid_price", "state_label",
    "runner_up_state", "state_margin", "words")
SELECT packet.symbol, packet.window_end_ms, packet.sequence, packet.event_id, packet.known_ts_ms,
    facts.state, facts.winner_state, facts.event_class, facts.event_profile, facts.severity_class, facts.severity_score, facts.transition_type,
    facts.diagnosis_class, facts.confidence_score, facts.confidence_label, facts.contradiction_score, facts.novelty_score, facts.quality_score,
    facts.gap_flags, facts.state_age_packets, facts.tags, facts.near_threshold, packet.source_kind, facts.mid_price, facts.state_label,
    facts.runner_up_state, facts.state_margin, facts.words
FROM "packet" CROSS JOIN LATERAL (SELECT packet.body::jsonb AS body OFFSET 0) AS parsed CROSS JOIN LATERAL event_facts(parsed.body) AS facts;
