-- CreateTable: what searches, histories and figures read of each packet, as long as the archive keeps it
CREATE TABLE "event" (
    "symbol" TEXT NOT NULL,
    "window_end_ms" BIGINT NOT NULL,
    "sequence" BIGINT NOT NULL,
    "event_id" TEXT NOT NULL,
    "known_ts_ms" BIGINT NOT NULL,
    "state" TEXT NOT NULL,
    "winner_state" TEXT NOT NULL,
    "event_class" TEXT NOT NULL,
    "event_profile" TEXT NOT NULL,
    "severity_class" TEXT NOT NULL,
    "severity_score" DOUBLE PRECISION NOT NULL,
    "transition_type" TEXT NOT NULL,
    "diagnosis_class" TEXT NOT NULL,
    "confidence_score" DOUBLE PRECISION NOT NULL,
    "confidence_label" TEXT NOT NULL,
    "contradiction_score" DOUBLE PRECISION NOT NULL,
    "novelty_score" DOUBLE PRECISION NOT NULL,
    "quality_score" INTEGER NOT NULL,
    "gap_flags" TEXT[] NOT NULL,
    "state_age_packets" INTEGER NOT NULL,
    "tags" TEXT[] NOT NULL,
    "near_threshold" BOOLEAN NOT NULL,
    "source_kind" "source_kind" NOT NULL,
    "words" tsvector NOT NULL,

    CONSTRAINT "event_pkey" PRIMARY KEY ("symbol", "window_end_ms")
);

-- CreateIndex
CREATE UNIQUE INDEX "event_event_id_key" ON "event"("event_id");

-- CreateIndex: figures over many packets read it alone
CREATE INDEX "event_figures_idx" ON "event"("symbol", "window_end_ms", "known_ts_ms", "state", "near_threshold");

-- CreateIndex
CREATE INDEX "event_window_end_ms_symbol_idx" ON "event"("window_end_ms", "symbol");

-- CreateIndex: no list of pending entries, which one packet's transaction would have to work off
CREATE INDEX "event_words_idx" ON "event" USING GIN ("words") WITH (fastupdate = off);

-- What the index says of a packet. `words` is a text search vector made as the configuration `simple` would make it: every word as it is, in
-- lower case. The vocabulary is closed, so stems would find nothing more, and the stop words of `english` (below, against, over, between) are
-- the very words that tell one tag from another. Words are what stands between other characters in the state, the tags and the reasons; numbers are
-- left out. Besides, it holds each whole tag, and state, classes and profile as `<column>=<value>`, so that one index serves every condition.
CREATE FUNCTION "event_facts"("body" jsonb) RETURNS TABLE (
    "state" TEXT, "winner_state" TEXT, "event_class" TEXT, "event_profile" TEXT, "severity_class" TEXT, "severity_score" DOUBLE PRECISION,
    "transition_type" TEXT, "diagnosis_class" TEXT, "confidence_score" DOUBLE PRECISION, "confidence_label" TEXT,
    "contradiction_score" DOUBLE PRECISION, "novelty_score" DOUBLE PRECISION, "quality_score" INTEGER, "gap_flags" TEXT[],
    "state_age_packets" INTEGER, "tags" TEXT[], "near_threshold" BOOLEAN, "words" tsvector
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
        array_to_tsvector(ARRAY(
            SELECT word FROM regexp_split_to_table(lower(concat_ws(' ', body->>'state', array_to_string(told.tags, ' '), told.reasons)), '[^a-z0-9]+') AS word
            WHERE word ~ '[a-z]'
            UNION SELECT unnest(told.tags)
            UNION SELECT unnest(ARRAY[
                'state=' || (body->>'state'), 'event_class=' || (body->>'event_class'), 'event_profile=' || (body->>'event_profile'),
                'severity_class=' || (body->'event_severity'->>'severity_class')])))
    FROM (SELECT ARRAY(SELECT jsonb_array_elements_text(body->'tags')) AS tags,
                 (SELECT string_agg(reason, ' ') FROM jsonb_array_elements_text(body->'reasons') AS reason) AS reasons) AS told
$$;

-- The packets that are in the database
INSERT INTO "event"
SELECT packet.symbol, packet.window_end_ms, packet.sequence, packet.event_id, greatest(packet.window_end_ms, packet.generated_ts_ms - packet.source_lag_ms),
    facts.state, facts.winner_state, facts.event_class, facts.event_profile, facts.severity_class, facts.severity_score, facts.transition_type,
    facts.diagnosis_class, facts.confidence_score, facts.confidence_label, facts.contradiction_score, facts.novelty_score, facts.quality_score,
    facts.gap_flags, facts.state_age_packets, facts.tags, facts.near_threshold, packet.source_kind, facts.words
FROM "packet" CROSS JOIN LATERAL (SELECT packet.body::jsonb AS body OFFSET 0) AS parsed CROSS JOIN LATERAL event_facts(parsed.body) AS facts;

-- CreateEnum
CREATE TYPE "feedback_label" AS ENUM ('useful', 'partial', 'missing_context', 'noise');

-- CreateTable: it outlives its event
CREATE TABLE "event_feedback" (
    "event_id" TEXT NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "symbol" TEXT NOT NULL,
    "window_end_ms" BIGINT NOT NULL,
    "state" TEXT NOT NULL,
    "event_class" TEXT NOT NULL,
    "label" "feedback_label" NOT NULL,
    "note" TEXT NOT NULL,
    "recorded_ts_ms" BIGINT NOT NULL,

    CONSTRAINT "event_feedback_pkey" PRIMARY KEY ("event_id", "tenant_id")
);

-- CreateIndex
CREATE INDEX "event_feedback_symbol_window_end_ms_idx" ON "event_feedback"("symbol", "window_end_ms");

-- CreateIndex
CREATE INDEX "event_feedback_state_label_idx" ON "event_feedback"("state", "label");

-- CreateIndex
CREATE INDEX "event_feedback_event_class_label_idx" ON "event_feedback"("event_class", "label");
