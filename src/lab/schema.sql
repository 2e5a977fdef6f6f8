-- Results of experiments. A run is one warpfold process; its id is a hash of what it was told to do, so the same
-- run is never done twice. Equal inputs give equal rows, but for the columns named wall_*.
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID; -- schema, version, build

CREATE TABLE config_origins ( -- what a configuration is told by: itself, or the bundled GPU's that is nearest to it
    config TEXT PRIMARY KEY, origin TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE config_values ( -- all settings of an origin; of others those that differ from it
    config TEXT, key TEXT, value TEXT NOT NULL,
    PRIMARY KEY (config, key)) WITHOUT ROWID;
CREATE VIEW configs (config, key, value) AS -- every setting of a run, with the value it had
    SELECT c.config, o.key, coalesce((SELECT value FROM config_values v WHERE v.config = c.config AND v.key = o.key), o.value)
    FROM config_origins c JOIN config_values o ON o.config = c.origin;

CREATE TABLE runs (
    id TEXT PRIMARY KEY,
    command TEXT NOT NULL,      -- warpfold's arguments; run in the results' folder they give this row again
    kind TEXT NOT NULL,         -- bench, study, mark; mix: kernels together, whose figures are in cells; run: a script of silicon/; program: for RISC-V; own: of the user, named by a line `run`
    subject TEXT NOT NULL,      -- the bundled kernel, the file, the point, or the program
    source TEXT, size TEXT, gpu TEXT, profile TEXT, tech TEXT, settings TEXT, -- source: whose PTX; profile: of a program its code
    seed INTEGER NOT NULL,      -- of the inputs
    kernel_hash TEXT NOT NULL,  -- of the PTX, or of the program
    version TEXT NOT NULL,      -- of warpfold
    config TEXT,                -- configs.config
    counted TEXT,               -- counter_names.counted
    status TEXT NOT NULL,       -- ok; refused: this build has no such mechanism; failed; mismatch
    message TEXT,               -- why not ok
    outcome TEXT, output_hash TEXT, -- compared with the CPU's reference, or by the program itself; equal hashes, equal bytes
    launches INTEGER, cycles INTEGER,
    elapsed_cycles INTEGER,     -- with what launches take before their first block can start
    warp_instructions INTEGER, thread_instructions INTEGER,
    fetched INTEGER, skipped INTEGER, reused INTEGER, -- warp instructions
    grid TEXT, waves REAL,      -- of the kernel with most warp instructions, its first launch: blocks, and blocks
                                -- over those that the chip holds at once
    limited_by TEXT,            -- what limits the kernel that came last, in words; NULL: no SMs, or kind is not run
    occupancy REAL, energy_pj REAL, storage_bits INTEGER,
    wall_seconds REAL) WITHOUT ROWID;

CREATE TABLE counter_names ( -- the counters of a run, by a hash of their names
    counted TEXT, name TEXT, PRIMARY KEY (counted, name)) WITHOUT ROWID;
CREATE TABLE counter_values ( -- those that are not 0
    run TEXT, name TEXT, value INTEGER NOT NULL, PRIMARY KEY (run, name)) WITHOUT ROWID;
CREATE VIEW counters (run, name, value) AS -- every counter of every run (`warpfold list counters`), 0 too
    SELECT r.id, n.name, coalesce((SELECT value FROM counter_values v WHERE v.run = r.id AND v.name = n.name), 0)
    FROM runs r JOIN counter_names n ON n.counted = r.counted;
CREATE TABLE intervals ( -- half-widths of 95 % intervals of figures of sampled runs: columns of runs, counters; no row: exact
    run TEXT, figure TEXT, half REAL NOT NULL, PRIMARY KEY (run, figure)) WITHOUT ROWID;
CREATE TABLE energy ( -- runs.energy_pj is the sum of count * pj_each
    run TEXT, event TEXT, part TEXT NOT NULL, unit TEXT NOT NULL, count INTEGER NOT NULL, pj_each REAL NOT NULL,
    PRIMARY KEY (run, event)) WITHOUT ROWID;
CREATE TABLE storage ( -- bits a mechanism adds to an SM, or that registers of SIMTight take; ordinal: as the mechanism lists them
    run TEXT, ordinal INTEGER, tech TEXT, structure TEXT, bits INTEGER, in_paper INTEGER,
    PRIMARY KEY (run, ordinal)) WITHOUT ROWID;
CREATE TABLE cells ( -- tables of studies, listings of marks
    run TEXT, tab TEXT, line INTEGER, field TEXT, text TEXT, number REAL,
    PRIMARY KEY (run, tab, line, field)) WITHOUT ROWID;
CREATE TABLE samples ( -- counters over time: what was counted from one cycle of a launch to another; no row: 0
    run TEXT, launch INTEGER, start INTEGER, finish INTEGER, counter TEXT, value INTEGER NOT NULL,
    PRIMARY KEY (run, launch, start, counter)) WITHOUT ROWID;

CREATE TABLE launches ( -- of a script, or of a program
    run TEXT, ordinal INTEGER, kernel TEXT, cycles INTEGER, elapsed_cycles INTEGER, warp_instructions INTEGER,
    PRIMARY KEY (run, ordinal)) WITHOUT ROWID;

CREATE TABLE silicon ( -- points: ours beside a card's; sectors of 32 bytes; NULL: not measured
    point TEXT, gpu TEXT, settings TEXT,
    changed TEXT NOT NULL,      -- of the settings those that --set gave
    chosen TEXT NOT NULL,       -- for which set: tuning, second
    card TEXT NOT NULL, class TEXT NOT NULL,
    run TEXT, trouble TEXT,     -- of table runs; why there is nothing of ours
    cycles REAL, card_cycles REAL, instructions REAL, card_instructions REAL,
    dram_reads REAL, card_dram_reads REAL, dram_writes REAL, card_dram_writes REAL,
    l2_reads REAL, card_l2_reads REAL, l2_writes REAL, card_l2_writes REAL,
    PRIMARY KEY (point, gpu, settings)) WITHOUT ROWID;

CREATE TABLE points ( -- what figures and tables show
    experiment TEXT, size TEXT, gpu TEXT, profile TEXT, category_order INTEGER, series_order INTEGER,
    category TEXT NOT NULL, series TEXT NOT NULL,
    value REAL, text TEXT,      -- a number, or a word
    run TEXT, base TEXT,        -- the runs it comes from; NULL for means, which are over the rows of their group
    paper REAL,                 -- what the paper's text says; NULL: nothing
    PRIMARY KEY (experiment, size, gpu, profile, category_order, series_order)) WITHOUT ROWID;
