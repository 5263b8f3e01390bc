# Runs one job with Spark: spark.py JOB IN OUT PATTERN
import sys
from pyspark.sql import SparkSession
from pyspark.sql.functions import col, count, desc, explode, expr, split

job, source, out, pattern = sys.argv[1:]
session = (SparkSession.builder.master('local[2]').config('spark.driver.memory', '6g')
           .config('spark.sql.shuffle.partitions', '2').config('spark.ui.enabled', 'false').getOrCreate())
session.sparkContext.setLogLevel('ERROR')
lines = session.read.text(source)
if job == 'wordcount':
    words = lines.select(explode(split(col('value'), ' ')).alias('word')).where(col('word') != '')
    words.groupBy('word').agg(count('*')).sort('word').write.csv(out, sep='\t')
elif job == 'terasort':
    lines.sort('value').write.text(out)
else:
    hits = lines.where(col('value').rlike(pattern))
    hits = hits.select(explode(expr(f"regexp_extract_all(value, '{pattern}', 0)")).alias('hit'))
    hits.groupBy('hit').agg(count('*').alias('n')).sort(desc('n')).write.csv(out, sep='\t')
session.stop()
