-- As before (0010), with the words of reasons from the one place of their sentences. Packets of the first edition hold the same sentences there, so
-- that what the index has of them stays.
CREATE OR REPLACE FUNCTION "event_facts"("body" jsonb) RETURNS TABLE (
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
