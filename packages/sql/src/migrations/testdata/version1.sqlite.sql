-- A SQLite database of the first schema as it was, with a project that has lived a little at 2025-06-01 12:34:56.789 UTC.
CREATE TABLE "migrations" (
  migration_id integer PRIMARY KEY NOT NULL,
  created_at datetime NOT NULL DEFAULT current_timestamp,
  name VARCHAR(255) NOT NULL
);
CREATE TABLE service (name TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) STRICT;
CREATE TABLE signing_keys (
  name TEXT PRIMARY KEY NOT NULL,
  secret BLOB NOT NULL,
  created_at_ms INTEGER NOT NULL
) STRICT;
CREATE TABLE programs (
  program_id TEXT PRIMARY KEY NOT NULL,
  bytes BLOB NOT NULL,
  stored_at_ms INTEGER NOT NULL
) STRICT;
CREATE TABLE organizations (
  organization_id TEXT PRIMARY KEY NOT NULL,
  organization_slug TEXT NOT NULL UNIQUE
) STRICT;
CREATE TABLE projects (
  project_id TEXT PRIMARY KEY NOT NULL,
  organization_id TEXT NOT NULL REFERENCES organizations,
  settings TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL
) STRICT;
CREATE TABLE api_keys (
  api_key_id TEXT PRIMARY KEY NOT NULL,
  project_id TEXT NOT NULL REFERENCES projects,
  hash TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER,
  revoked_at_ms INTEGER
) STRICT;
CREATE TABLE accounts (
  project_id TEXT PRIMARY KEY NOT NULL REFERENCES projects,
  granted TEXT NOT NULL CHECK (granted <> '' AND granted NOT LIKE '-%'),
  used TEXT NOT NULL CHECK (used <> '' AND used NOT LIKE '-%'),
  held TEXT NOT NULL CHECK (held <> '' AND held NOT LIKE '-%'),
  last_entry INTEGER NOT NULL
) STRICT;
CREATE TABLE holds (
  hold_id TEXT PRIMARY KEY NOT NULL,
  project_id TEXT NOT NULL REFERENCES projects,
  amount TEXT NOT NULL CHECK (amount <> '' AND amount NOT LIKE '-%'),
  state TEXT NOT NULL CHECK (state IN ('held', 'posted', 'voided')),
  lease_end_ms INTEGER NOT NULL,
  period_ms INTEGER,
  period_start_ms INTEGER
) STRICT;
CREATE INDEX holds_open ON holds (project_id, lease_end_ms) WHERE state = 'held';
CREATE TABLE usage_periods (
  project_id TEXT NOT NULL REFERENCES projects,
  period_ms INTEGER NOT NULL,
  period_start_ms INTEGER NOT NULL,
  credits TEXT NOT NULL CHECK (credits <> '' AND credits NOT LIKE '-%'),
  PRIMARY KEY (project_id, period_ms, period_start_ms)
) STRICT;
CREATE TABLE journal (
  project_id TEXT NOT NULL REFERENCES projects,
  entry INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('grant', 'hold', 'post', 'void', 'expire')),
  credits TEXT NOT NULL CHECK (credits <> '' AND credits NOT LIKE '-%'),
  hold_id TEXT REFERENCES holds,
  at_ms INTEGER NOT NULL,
  PRIMARY KEY (project_id, entry),
  CHECK ((kind = 'grant') = (hold_id IS NULL))
) STRICT;
CREATE UNIQUE INDEX journal_taken_once ON journal (hold_id) WHERE kind = 'hold';
CREATE UNIQUE INDEX journal_resolved_once ON journal (hold_id) WHERE kind IN ('post', 'void', 'expire');
CREATE TABLE reports (
  project_id TEXT NOT NULL,
  entry INTEGER NOT NULL,
  dr_id TEXT NOT NULL,
  request_key TEXT NOT NULL,
  exit_code INTEGER NOT NULL,
  executed_at_ms INTEGER NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (project_id, entry),
  FOREIGN KEY (project_id, entry) REFERENCES journal (project_id, entry)
) STRICT;
CREATE INDEX reports_page ON reports (project_id, dr_id, executed_at_ms, entry);
CREATE INDEX reports_last ON reports (project_id, request_key, executed_at_ms, entry);
CREATE INDEX reports_success ON reports (project_id, request_key, executed_at_ms, entry) WHERE exit_code = 0;
CREATE TABLE timestamps (
  project_id TEXT NOT NULL REFERENCES projects,
  dr_id TEXT NOT NULL,
  timestamp_ms INTEGER NOT NULL,
  PRIMARY KEY (project_id, dr_id)
) STRICT;
CREATE TRIGGER "journal_no_update" BEFORE UPDATE ON journal
      BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER "journal_no_delete" BEFORE DELETE ON journal
      BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
INSERT INTO migrations (migration_id, name) VALUES (1, 'stores');
INSERT INTO service (name, value) VALUES ('network', 'testnet');
INSERT INTO signing_keys (name, secret, created_at_ms) VALUES ('current', X'aa033f666375150fbe414d4eedeccade4cbc7c2a722c049393b557380ea94ce1', 1748781296789);
INSERT INTO programs (program_id, bytes, stored_at_ms) VALUES ('4983c8c2a5a99f8fa55858b33be5d4dc96d8e17dfc787249d3ddd01080d00d1a', X'0061736d', 1748781296789);
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
