# Runs one job with DuckDB: duckdb.py JOB IN OUT PATTERN
import sys
import duckdb

job, source, out, pattern = sys.argv[1:]
lines = (f"read_csv('{source}', columns={{'line': 'VARCHAR'}}, auto_detect=false, header=false, "
         "delim='\x01', quote='', escape='', strict_mode=false)")
queries = {
    'wordcount': f"SELECT word, count(*) FROM (SELECT unnest(string_split(line, ' ')) AS word FROM {lines}) "
                 "WHERE word <> '' GROUP BY word ORDER BY word",
    'terasort': f"SELECT line FROM {lines} ORDER BY line",
    'grep': f"SELECT count(*) AS n, hit FROM (SELECT unnest(regexp_extract_all(line, '{pattern}')) AS hit "
            f"FROM {lines} WHERE regexp_matches(line, '{pattern}')) GROUP BY hit ORDER BY n DESC",
}
db = duckdb.connect()
db.execute("SET threads = 2")
db.execute("SET preserve_insertion_order = false")
db.execute(f"COPY ({queries[job]}) TO '{out}' (FORMAT csv, DELIMITER '\t', HEADER false, QUOTE '')")
