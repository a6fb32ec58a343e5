//! Parquet tables, made from the CSV spool of a record when its run ends.
//!
//! A record of `format = "parquet"` grows as CSV, so that a run that dies keeps what it had. At the end the rows are
//! written again, column by column; the spool is removed when the run is over. Columns that count or name something are INT64, `mode` is a
//! string, all others are DOUBLE with the same bits as in the CSV. Compression is Snappy. Does not read Parquet.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;

use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use super::file::{at, create_part, part_name};

/// Rows kept in memory at a time.
const ROWS_PER_GROUP: usize = 1 << 16;

/// Columns of whole numbers, in all tables.
const WHOLE: [&str; 11] =
    ["step", "id", "a", "b", "bodies", "contacts", "entered", "left", "feature", "part_a", "part_b"];

/// One column of the rows in memory.
enum Column {
    Whole(Vec<i64>),
    Number(Vec<f64>),
    Text(Vec<ByteArray>),
}

impl Column {
    fn of(name: &str) -> Self {
        match name {
            "mode" | "roll_modes" => Column::Text(Vec::new()),
            name if WHOLE.contains(&name) => Column::Whole(Vec::new()),
            _ => Column::Number(Vec::new()),
        }
    }

    /// The column's type in a Parquet schema.
    fn schema(&self, name: &str) -> String {
        match self {
            Column::Whole(_) => format!("required int64 {name};\n"),
            Column::Number(_) => format!("required double {name};\n"),
            Column::Text(_) => format!("required binary {name} (UTF8);\n"),
        }
    }

    fn push(&mut self, field: &str) -> Option<()> {
        match self {
            Column::Whole(values) => values.push(field.parse().ok()?),
            Column::Number(values) => values.push(field.parse().ok()?),
            Column::Text(values) => values.push(ByteArray::from(field.as_bytes().to_vec())),
        }
        Some(())
    }

    fn len(&self) -> usize {
        match self {
            Column::Whole(values) => values.len(),
            Column::Number(values) => values.len(),
            Column::Text(values) => values.len(),
        }
    }

    fn clear(&mut self) {
        match self {
            Column::Whole(values) => values.clear(),
            Column::Number(values) => values.clear(),
            Column::Text(values) => values.clear(),
        }
    }
}

/// Writes the table `spool` (CSV with a header) as `target`, which appears whole or not at all. The spool stays.
pub fn convert(spool: &Path, target: &Path) -> io::Result<()> {
    let part = part_name(target);
    let written = write(spool, &part).and_then(|()| fs::rename(&part, target));
    written.map_err(|error| {
        // The part is of no use to anyone, the spool is: it stays.
        let _ = fs::remove_file(&part);
        at(target, error)
    })
}

fn write(spool: &Path, part: &Path) -> io::Result<()> {
    let mut lines = BufReader::new(File::open(spool)?).lines();
    let header = lines.next().transpose()?.unwrap_or_default();
    let names: Vec<&str> = header.split(',').collect();
    let mut columns: Vec<Column> = names.iter().map(|name| Column::of(name)).collect();
    let fields: String = columns.iter().zip(&names).map(|(column, name)| column.schema(name)).collect();
    let schema = parse_message_type(&format!("message table {{\n{fields}}}")).map_err(io::Error::other)?;
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let file = create_part(part)?;
    let mut writer = SerializedFileWriter::new(file.try_clone()?, Arc::new(schema), Arc::new(properties))?;
    for (number, line) in lines.enumerate() {
        push_row(&line?, &mut columns).ok_or_else(|| {
            let what = format!("line {} of the spool does not fit the columns {header}", number + 2);
            io::Error::new(io::ErrorKind::InvalidData, what)
        })?;
        if columns[0].len() == ROWS_PER_GROUP {
            write_group(&mut writer, &mut columns)?;
        }
    }
    if columns[0].len() > 0 {
        write_group(&mut writer, &mut columns)?;
    }
    writer.close()?;
    // Without this a power cut may keep the new name and lose the content.
    file.sync_all()
}

/// `None` when the fields are not as many as the columns, or not of their kinds.
fn push_row(line: &str, columns: &mut [Column]) -> Option<()> {
    let mut fields = line.split(',');
    for column in columns {
        column.push(fields.next()?)?;
    }
    fields.next().is_none().then_some(())
}

fn write_group(writer: &mut SerializedFileWriter<File>, columns: &mut [Column]) -> io::Result<()> {
    let mut group = writer.next_row_group()?;
    for column in columns {
        let mut out = group.next_column()?.ok_or_else(|| io::Error::other("the schema has too few columns"))?;
        match column {
            Column::Whole(values) => out.typed::<Int64Type>().write_batch(values, None, None)?,
            Column::Number(values) => out.typed::<DoubleType>().write_batch(values, None, None)?,
            Column::Text(values) => out.typed::<ByteArrayType>().write_batch(values, None, None)?,
        };
        out.close()?;
        column.clear();
    }
    group.close()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::RowAccessor;

    use super::super::testing::test_folder;
    use super::*;

    #[test]
    fn rows_keep_their_bits_and_kinds_over_several_groups() {
        let folder = test_folder("parquet");
        let (spool, target) = (folder.join("t.csv"), folder.join("t.parquet"));
        let count = ROWS_PER_GROUP + 3;
        let rows: String = (0..count).map(|i| format!("{:?},{i},sk-\n", 0.1 * i as f64)).collect();
        fs::write(&spool, format!("time,step,mode\n{rows}")).unwrap();
        convert(&spool, &target).unwrap();
        assert!(spool.exists(), "a run that was interrupted goes on from it");
        let reader = SerializedFileReader::new(File::open(&target).unwrap()).unwrap();
        assert_eq!(reader.metadata().num_row_groups(), 2);
        let mut seen = 0;
        for (i, row) in reader.get_row_iter(None).unwrap().enumerate() {
            let row = row.unwrap();
            assert_eq!(row.get_double(0).unwrap().to_bits(), (0.1 * i as f64).to_bits());
            assert_eq!(row.get_long(1).unwrap(), i as i64);
            assert_eq!(row.get_string(2).unwrap(), "sk-");
            seen += 1;
        }
        assert_eq!(seen, count);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_spool_that_is_broken_stays_and_leaves_nothing_else() {
        let folder = test_folder("parquet-broken");
        let spool = folder.join("t.csv");
        fs::write(&spool, "time,step\n0.0,0\n0.1\n").unwrap();
        let error = convert(&spool, &folder.join("t.parquet")).unwrap_err().to_string();
        assert!(error.contains("line 3") && error.contains("t.parquet"), "{error}");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_dir_all(folder).unwrap();
    }
}
