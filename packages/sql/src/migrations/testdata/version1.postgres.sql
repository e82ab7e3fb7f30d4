-- A PostgreSQL database of the first schema as it was, with a project that has lived a little at 2025-06-01 12:34:56.789 UTC.
CREATE FUNCTION public.refuse_journal_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN RAISE EXCEPTION 'the journal is append-only'; END $$;
CREATE TABLE public.accounts (
    project_id text NOT NULL,
    granted text NOT NULL,
    used text NOT NULL,
    held text NOT NULL,
    last_entry bigint NOT NULL,
    CONSTRAINT accounts_granted_check CHECK (((granted <> ''::text) AND (granted !~~ '-%'::text))),
    CONSTRAINT accounts_held_check CHECK (((held <> ''::text) AND (held !~~ '-%'::text))),
    CONSTRAINT accounts_used_check CHECK (((used <> ''::text) AND (used !~~ '-%'::text)))
);
CREATE TABLE public.api_keys (
    api_key_id text NOT NULL,
    project_id text NOT NULL,
    hash text NOT NULL,
    created_at_ms bigint NOT NULL,
    expires_at_ms bigint,
    revoked_at_ms bigint
);
CREATE TABLE public.holds (
    hold_id text NOT NULL,
    project_id text NOT NULL,
    amount text NOT NULL,
    state text NOT NULL,
    lease_end_ms bigint NOT NULL,
    period_ms bigint,
    period_start_ms bigint,
    CONSTRAINT holds_amount_check CHECK (((amount <> ''::text) AND (amount !~~ '-%'::text))),
    CONSTRAINT holds_state_check CHECK ((state = ANY (ARRAY['held'::text, 'posted'::text, 'voided'::text])))
);
CREATE TABLE public.journal (
    project_id text NOT NULL,
    entry bigint NOT NULL,
    kind text NOT NULL,
    credits text NOT NULL,
    hold_id text,
    at_ms bigint NOT NULL,
    CONSTRAINT journal_check CHECK (((kind = 'grant'::text) = (hold_id IS NULL))),
    CONSTRAINT journal_credits_check CHECK (((credits <> ''::text) AND (credits !~~ '-%'::text))),
    CONSTRAINT journal_kind_check CHECK ((kind = ANY (ARRAY['grant'::text, 'hold'::text, 'post'::text, 'void'::text, 'expire'::text])))
);
CREATE TABLE public.migrations (
    migration_id integer NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    name text NOT NULL
);
CREATE TABLE public.organizations (
    organization_id text NOT NULL,
    organization_slug text NOT NULL
);
CREATE TABLE public.programs (
    program_id text NOT NULL,
    bytes bytea NOT NULL,
    stored_at_ms bigint NOT NULL
);
CREATE TABLE public.projects (
    project_id text NOT NULL,
    organization_id text NOT NULL,
    settings text NOT NULL,
    created_at_ms bigint NOT NULL
);
CREATE TABLE public.reports (
    project_id text NOT NULL,
    entry bigint NOT NULL,
    dr_id text NOT NULL,
    request_key text NOT NULL,
    exit_code bigint NOT NULL,
    executed_at_ms bigint NOT NULL,
    body text NOT NULL
);
CREATE TABLE public.service (
    name text NOT NULL,
    value text NOT NULL
);
CREATE TABLE public.signing_keys (
    name text NOT NULL,
    secret bytea NOT NULL,
    created_at_ms bigint NOT NULL
);
CREATE TABLE public.timestamps (
    project_id text NOT NULL,
    dr_id text NOT NULL,
    timestamp_ms bigint NOT NULL
);
CREATE TABLE public.usage_periods (
    project_id text NOT NULL,
    period_ms bigint NOT NULL,
    period_start_ms bigint NOT NULL,
    credits text NOT NULL,
    CONSTRAINT usage_periods_credits_check CHECK (((credits <> ''::text) AND (credits !~~ '-%'::text)))
);
ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_pkey PRIMARY KEY (project_id);
ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (api_key_id);
ALTER TABLE ONLY public.holds
    ADD CONSTRAINT holds_pkey PRIMARY KEY (hold_id);
ALTER TABLE ONLY public.journal
    ADD CONSTRAINT journal_pkey PRIMARY KEY (project_id, entry);
ALTER TABLE ONLY public.migrations
    ADD CONSTRAINT migrations_pkey PRIMARY KEY (migration_id);
ALTER TABLE ONLY public.organizations
    ADD CONSTRAINT organizations_organization_slug_key UNIQUE (organization_slug);
ALTER TABLE ONLY public.organizations
    ADD CONSTRAINT organizations_pkey PRIMARY KEY (organization_id);
ALTER TABLE ONLY public.programs
    ADD CONSTRAINT programs_pkey PRIMARY KEY (program_id);
ALTER TABLE ONLY public.projects
    ADD CONSTRAINT projects_pkey PRIMARY KEY (project_id);
ALTER TABLE ONLY public.reports
    ADD CONSTRAINT reports_pkey PRIMARY KEY (project_id, entry);
ALTER TABLE ONLY public.service
    ADD CONSTRAINT service_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.signing_keys
    ADD CONSTRAINT signing_keys_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.timestamps
    ADD CONSTRAINT timestamps_pkey PRIMARY KEY (project_id, dr_id);
ALTER TABLE ONLY public.usage_periods
    ADD CONSTRAINT usage_periods_pkey PRIMARY KEY (project_id, period_ms, period_start_ms);
CREATE INDEX holds_open ON public.holds USING btree (project_id, lease_end_ms) WHERE (state = 'held'::text);
CREATE UNIQUE INDEX journal_resolved_once ON public.journal USING btree (hold_id) WHERE (kind = ANY (ARRAY['post'::text, 'void'::text, 'expire'::text]));
CREATE UNIQUE INDEX journal_taken_once ON public.journal USING btree (hold_id) WHERE (kind = 'hold'::text);
CREATE INDEX reports_last ON public.reports USING btree (project_id, request_key, executed_at_ms, entry);
CREATE INDEX reports_page ON public.reports USING btree (project_id, dr_id, executed_at_ms, entry);
CREATE INDEX reports_success ON public.reports USING btree (project_id, request_key, executed_at_ms, entry) WHERE (exit_code = 0);
CREATE TRIGGER journal_no_change BEFORE DELETE OR UPDATE OR TRUNCATE ON public.journal FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_journal_change();
ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_project_id_fkey FOREIGN KEY (project_id) REFERENCES public.projects(project_id);
ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_project_id_fkey FOREIGN KEY (project_id) REFERENCES public.projects(project_id);
ALTER TABLE ONLY public.holds
    ADD CONSTRAINT holds_project_id_fkey FOREIGN KEY (project_id) REFERENCES public.projects(project_id);
ALTER TABLE ONLY public.journal
    ADD CONSTRAINT journal_hold_id_fkey FOREIGN KEY (hold_id) REFERENCES public.holds(hold_id);
ALTER TABLE ONLY public.journal
    ADD CONSTRAINT journal_project_id_fkey FOREIGN KEY (project_id) REFERENCES public.projects(project_id);
ALTER TABLE ONLY public.projects
    ADD CONSTRAINT projects_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(organization_id);
ALTER TABLE ONLY public.reports
    ADD CONSTRAINT reports_project_id_entry_fkey FOREIGN KEY (project_id, entry) REFERENCES public.journal(project_id, entry);
ALTER TABLE ONLY public.timestamps
    ADD CONSTRAINT timestamps_project_id_fkey FOREIGN KEY (project_id) REFERENCES public.projects(project_id);
ALTER TABLE ONLY public.usage_periods
    ADD CONSTRAINT usage_periods_project_id_fkey FOREIGN KEY (project_id) REFERENCES public.projects(project_id);
INSERT INTO public.migrations (migration_id, name) VALUES (1, 'stores');
INSERT INTO service (name, value) VALUES ('network', 'testnet');
INSERT INTO signing_keys (name, secret, created_at_ms) VALUES ('current', '\xaa033f666375150fbe414d4eedeccade4cbc7c2a722c049393b557380ea94ce1', 1748781296789);
INSERT INTO programs (program_id, bytes, stored_at_ms) VALUES ('4983c8c2a5a99f8fa55858b33be5d4dc96d8e17dfc787249d3ddd01080d00d1a', '\x0061736d', 1748781296789);
INSERT INTO organizations (organization_id, organization_slug) VALUES ('b183d4cc-0065-4588-825d-0583de488389', 'acme');
INSERT INTO projects (project_id, organization_id, settings, created_at_ms) VALUES ('1077053c-377b-4684-a5e5-77476b9b8274', 'b183d4cc-0065-4588-825d-0583de488389', '{"gasLimits":{"exec":"300000000000000","tally":"50000000000000"},"usageLimit":{"periodMs":86400000,"credits":"500"},"allowedPrograms":null,"limits":{}}', 1748781296789);
INSERT INTO api_keys (api_key_id, project_id, hash, created_at_ms, expires_at_ms, revoked_at_ms) VALUES ('2bb10689c4c4', '1077053c-377b-4684-a5e5-77476b9b8274', 'fcf8a03d8d749e543190c0f87fdcc971281e149ba7794ec8442e8974936c952b', 1748781296789, NULL, NULL);
INSERT INTO accounts (project_id, granted, used, held, last_entry) VALUES ('1077053c-377b-4684-a5e5-77476b9b8274', '100', '7', '20', 8);
INSERT INTO holds (hold_id, project_id, amount, state, lease_end_ms, period_ms, period_start_ms) VALUES ('db135efe-bfaf-462c-8821-4455d4f16c7f', '1077053c-377b-4684-a5e5-77476b9b8274', '10', 'posted', 1748781356789, 86400000, 1748736000000);
INSERT INTO holds (hold_id, project_id, amount, state, lease_end_ms, period_ms, period_start_ms) VALUES ('15f77be7-6602-4292-ae93-2e1bcba9346e', '1077053c-377b-4684-a5e5-77476b9b8274', '7', 'voided', 1748781356789, 86400000, 1748736000000);
INSERT INTO holds (hold_id, project_id, amount, state, lease_end_ms, period_ms, period_start_ms) VALUES ('8d806911-aa28-4d1c-983c-8cee14295290', '1077053c-377b-4684-a5e5-77476b9b8274', '10', 'posted', 1748781356789, 86400000, 1748736000000);
INSERT INTO holds (hold_id, project_id, amount, state, lease_end_ms, period_ms, period_start_ms) VALUES ('d18b1213-e481-4cd8-a643-99a07ea1c22d', '1077053c-377b-4684-a5e5-77476b9b8274', '20', 'held', 1748781356789, 86400000, 1748736000000);
INSERT INTO usage_periods (project_id, period_ms, period_start_ms, credits) VALUES ('1077053c-377b-4684-a5e5-77476b9b8274', 86400000, 1748736000000, '27');
INSERT INTO journal (project_id, entry, kind, credits, hold_id, at_ms) VALUES ('1077053c-377b-4684-a5e5-77476b9b8274', 1, 'grant', '100', NULL, 1748781296789);
INSERT INTO journal (project_id, entry, kind, credits, hold_id, at_ms) VALUES ('1077053c-377b-4684-a5e5-77476b9b8274', 2, 'hold', '10', 'db135efe-bfaf-462c-8821-4455d4f16c7f', 1748781296789);
INSERT INTO journal (project_id, entry, kind, credits, hold_id, at_ms) VALUES ('1077053c-377b-4684-a5e5-77476b9b8274', 3, 'post', '3', 'db135efe-bfaf-462c-8821-4455d4f16c7f', 1748781296789);
INSERT INTO journal (project_id, entry, kind, credits, hold_id, at_ms) VALUES ('1077053c-377b-4684-a5e5-77476b9b8274', 4, 'hold', '7', '15f77be7-6602-4292-ae93-2e1bcba9346e', 1748781296789);
INSERT INTO journal (project_id, entry, kind, credits, hold_id, at_ms) VALUES ('1077053c-377b-4684-a5e5-77476b9b8274', 5, 'void', '7', '15f77be7-6602-4292-ae93-2e1bcba9346e', 1748781296789);
INSERT INTO journal (project_id, entry, kind, credits, hold_id, at_ms) VALUES ('1077053c-377b-4684-a5e5-77476b9b8274', 6, 'hold', '10', '8d806911-aa28-4d1c-983c-8cee14295290', 1748781296789);
INSERT INTO journal (project_id, entry, kind, credits, hold_id, at_ms) VALUES ('1077053c-377b-4684-a5e5-77476b9b8274', 7, 'post', '4', '8d806911-aa28-4d1c-983c-8cee14295290', 1748781296789);
INSERT INTO journal (project_id, entry, kind, credits, hold_id, at_ms) VALUES ('1077053c-377b-4684-a5e5-77476b9b8274', 8, 'hold', '20', 'd18b1213-e481-4cd8-a643-99a07ea1c22d', 1748781296789);
INSERT INTO reports (project_id, entry, dr_id, request_key, exit_code, executed_at_ms, body) VALUES ('1077053c-377b-4684-a5e5-77476b9b8274', 3, 'd1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1', '5cdf1d8d65f11e022e2413cb146ba42533e1a6afcdeba7308def3155029e1bf7', 0, 1748781296789, '{"id":"5f0c9d3e-0001-4000-8000-000000000001","projectId":"1077053c-377b-4684-a5e5-77476b9b8274","source":"rest","executedAtMs":1748781296789,"durationMs":12,"dataRequest":{"version":"0.0.1","execProgramId":"e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1","execInputs":"AQID","execGasLimit":"300000000000000","tallyProgramId":"7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a","tallyInputs":"","tallyGasLimit":"50000000000000","replicationFactor":1,"consensusFilter":"AA==","gasPrice":"0","memo":""},"dataResult":{"version":"0.0.1","drId":"d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1","consensus":true,"exitCode":0,"result":"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo7PD0+P0BBQkNERUZHSElKS0xNTk9QUVJTVFVWV1hZWltcXV5fYGFiY2RlZmdoaWprbG1ub3BxcnN0dXZ3eHl6e3x9fn+AgYKDhIWGh4iJiouMjY6PkJGSk5SVlpeYmZqbnJ2en6ChoqOkpaanqKmqq6ytrq+wsbKztLW2t7i5uru8vb6/wMHCw8TFxsfIycrLzM3Oz9DR0tPU1dbX2Nna29zd3t/g4eLj5OXm5+jp6uvs7e7v8PHy8/T19vf4+fr7/P3+/w==","blockHeight":"0","blockTimestamp":"1748781296789","gasUsed":"36893488147419103232","paybackAddress":"","servicePayload":"AP8="},"signature":"ababababababababababababababababababababababababababababababababababababababababababababababababababababababababababababababababab","execute":{"result":"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo7PD0+P0BBQkNERUZHSElKS0xNTk9QUVJTVFVWV1hZWltcXV5fYGFiY2RlZmdoaWprbG1ub3BxcnN0dXZ3eHl6e3x9fn+AgYKDhIWGh4iJiouMjY6PkJGSk5SVlpeYmZqbnJ2en6ChoqOkpaanqKmqq6ytrq+wsbKztLW2t7i5uru8vb6/wMHCw8TFxsfIycrLzM3Oz9DR0tPU1dbX2Nna29zd3t/g4eLj5OXm5+jp6uvs7e7v8PHy8/T19vf4+fr7/P3+/w==","gasUsed":"18446744073709551615","stdout":"a line\nand \u0000,  , 🜚","stderr":"","exitCode":0},"tally":{"result":"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo7PD0+P0BBQkNERUZHSElKS0xNTk9QUVJTVFVWV1hZWltcXV5fYGFiY2RlZmdoaWprbG1ub3BxcnN0dXZ3eHl6e3x9fn+AgYKDhIWGh4iJiouMjY6PkJGSk5SVlpeYmZqbnJ2en6ChoqOkpaanqKmqq6ytrq+wsbKztLW2t7i5uru8vb6/wMHCw8TFxsfIycrLzM3Oz9DR0tPU1dbX2Nna29zd3t/g4eLj5OXm5+jp6uvs7e7v8PHy8/T19vf4+fr7/P3+/w==","gasUsed":"18446744073709551615","stdout":"a line\nand \u0000,  , 🜚","stderr":"","exitCode":0},"cost":{"base":"1","gas":"2","dataProxies":"0","total":"3"},"proxies":[{"publicKey":"020202020202020202020202020202020202020202020202020202020202020202","fee":"1180591620717411303424","calls":3}]}');
INSERT INTO reports (project_id, entry, dr_id, request_key, exit_code, executed_at_ms, body) VALUES ('1077053c-377b-4684-a5e5-77476b9b8274', 7, 'd1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1', '5cdf1d8d65f11e022e2413cb146ba42533e1a6afcdeba7308def3155029e1bf7', 3, 1748781296790, '{"id":"5f0c9d3e-0001-4000-8000-000000000002","projectId":"1077053c-377b-4684-a5e5-77476b9b8274","source":"rest","executedAtMs":1748781296790,"durationMs":12,"dataRequest":{"version":"0.0.1","execProgramId":"e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1","execInputs":"AQID","execGasLimit":"300000000000000","tallyProgramId":"7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a","tallyInputs":"","tallyGasLimit":"50000000000000","replicationFactor":1,"consensusFilter":"AA==","gasPrice":"0","memo":""},"dataResult":{"version":"0.0.1","drId":"d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1","consensus":true,"exitCode":3,"result":"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo7PD0+P0BBQkNERUZHSElKS0xNTk9QUVJTVFVWV1hZWltcXV5fYGFiY2RlZmdoaWprbG1ub3BxcnN0dXZ3eHl6e3x9fn+AgYKDhIWGh4iJiouMjY6PkJGSk5SVlpeYmZqbnJ2en6ChoqOkpaanqKmqq6ytrq+wsbKztLW2t7i5uru8vb6/wMHCw8TFxsfIycrLzM3Oz9DR0tPU1dbX2Nna29zd3t/g4eLj5OXm5+jp6uvs7e7v8PHy8/T19vf4+fr7/P3+/w==","blockHeight":"0","blockTimestamp":"1748781296790","gasUsed":"36893488147419103232","paybackAddress":"","servicePayload":"AP8="},"signature":"ababababababababababababababababababababababababababababababababababababababababababababababababababababababababababababababababab","execute":{"result":"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo7PD0+P0BBQkNERUZHSElKS0xNTk9QUVJTVFVWV1hZWltcXV5fYGFiY2RlZmdoaWprbG1ub3BxcnN0dXZ3eHl6e3x9fn+AgYKDhIWGh4iJiouMjY6PkJGSk5SVlpeYmZqbnJ2en6ChoqOkpaanqKmqq6ytrq+wsbKztLW2t7i5uru8vb6/wMHCw8TFxsfIycrLzM3Oz9DR0tPU1dbX2Nna29zd3t/g4eLj5OXm5+jp6uvs7e7v8PHy8/T19vf4+fr7/P3+/w==","gasUsed":"18446744073709551615","stdout":"a line\nand \u0000,  , 🜚","stderr":"","exitCode":3},"tally":{"result":"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo7PD0+P0BBQkNERUZHSElKS0xNTk9QUVJTVFVWV1hZWltcXV5fYGFiY2RlZmdoaWprbG1ub3BxcnN0dXZ3eHl6e3x9fn+AgYKDhIWGh4iJiouMjY6PkJGSk5SVlpeYmZqbnJ2en6ChoqOkpaanqKmqq6ytrq+wsbKztLW2t7i5uru8vb6/wMHCw8TFxsfIycrLzM3Oz9DR0tPU1dbX2Nna29zd3t/g4eLj5OXm5+jp6uvs7e7v8PHy8/T19vf4+fr7/P3+/w==","gasUsed":"18446744073709551615","stdout":"a line\nand \u0000,  , 🜚","stderr":"","exitCode":0},"cost":{"base":"1","gas":"2","dataProxies":"0","total":"4"},"proxies":[{"publicKey":"020202020202020202020202020202020202020202020202020202020202020202","fee":"1180591620717411303424","calls":3}]}');
INSERT INTO timestamps (project_id, dr_id, timestamp_ms) VALUES ('1077053c-377b-4684-a5e5-77476b9b8274', 'd1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1', 1748781296789);
