//! A small table as Parquet, from columns of text: for tables whose columns are not known before, and may have gaps.
//!
//! A column of whole numbers is INT64, one of numbers DOUBLE, any other a string; an empty field is null. Compression is
//! Snappy. Records of runs, which are long and without gaps, are in `parquet.rs`.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Kind};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;

use super::file::{at, create_part, part_name};

/// Writes columns of the same length, each with its name; the file appears whole or not at all.
pub fn write(target: &Path, columns: &[(String, Vec<String>)]) -> io::Result<()> {
    let part = part_name(target);
    write_part(&part, columns).and_then(|()| fs::rename(&part, target)).map_err(|error| {
        // The part is of no use to anyone.
        let _ = fs::remove_file(&part);
        at(target, error)
    })
}

fn write_part(part: &Path, columns: &[(String, Vec<String>)]) -> io::Result<()> {
    let fields = columns.iter().map(|(name, fields)| field(name, kind(fields))).collect::<io::Result<Vec<_>>>()?;
    let schema = Type::group_type_builder("table").with_fields(fields).build()?;
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let file = create_part(part)?;
    let mut writer = SerializedFileWriter::new(file.try_clone()?, Arc::new(schema), Arc::new(properties))?;
    let mut group = writer.next_row_group()?;
    for (_, fields) in columns {
        match kind(fields) {
            Kind::INT64 => push::<Int64Type>(&mut group, fields, |text| text.parse().ok())?,
            Kind::DOUBLE => push::<DoubleType>(&mut group, fields, |text| text.parse().ok())?,
            _ => push::<ByteArrayType>(&mut group, fields, |text| Some(ByteArray::from(text.as_bytes().to_vec())))?,
        }
    }
    group.close()?;
    writer.close()?;
    // Without this a power cut may keep the new name and lose the content.
    file.sync_all()
}

/// What fits all fields that are not empty.
fn kind(fields: &[String]) -> Kind {
    let mut some = fields.iter().filter(|field| !field.is_empty());
    let (whole, number) = (|f: &String| f.parse::<i64>().is_ok(), |f: &String| f.parse::<f64>().is_ok());
    match () {
        () if some.clone().next().is_none() => Kind::BYTE_ARRAY,
        () if some.clone().all(whole) => Kind::INT64,
        () if some.all(number) => Kind::DOUBLE,
        () => Kind::BYTE_ARRAY,
    }
}

fn field(name: &str, kind: Kind) -> io::Result<Arc<Type>> {
    let text = (kind == Kind::BYTE_ARRAY).then_some(LogicalType::String);
    let field = Type::primitive_type_builder(name, kind).with_repetition(Repetition::OPTIONAL).with_logical_type(text);
    Ok(Arc::new(field.build()?))
}

/// Writes one column; what is empty is null.
fn push<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, File>,
    fields: &[String],
    value: impl Fn(&str) -> Option<T::T>,
) -> io::Result<()> {
    let all: Vec<Option<T::T>> = fields.iter().map(|text| if text.is_empty() { None } else { value(text) }).collect();
    let there: Vec<i16> = all.iter().map(|value| i16::from(value.is_some())).collect();
    let values: Vec<T::T> = all.into_iter().flatten().collect();
    let mut out = group.next_column()?.ok_or_else(|| io::Error::other("the schema has too few columns"))?;
    out.typed::<T>().write_batch(&values, Some(&there), None)?;
    Ok(out.close()?)
}

#[cfg(test)]
mod tests {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;

    use super::super::testing::test_folder;
    use super::*;

    #[test]
    fn columns_have_the_kinds_of_their_fields_and_gaps_stay_gaps() {
        let folder = test_folder("parquet-columns");
        let path = folder.join("t.parquet");
        let column = |name: &str, fields: [&str; 3]| (name.to_owned(), fields.map(str::to_owned).to_vec());
        let columns = [
            column("contact[a,b].roll.mu", ["0", "0.1", "1e-5"]),
            column("steps", ["1", "", "-3"]),
            column("reason", ["", "", ""]),
            column("law", ["epsd", "2", "a \"b\""]),
            column("kinetic", ["", "NaN", "0.30000000000000004"]),
        ];
        write(&path, &columns).unwrap();
        let reader = SerializedFileReader::new(File::open(&path).unwrap()).unwrap();
        let rows: Vec<_> = reader.get_row_iter(None).unwrap().map(Result::unwrap).collect();
        let fields = |row: usize| rows[row].get_column_iter().map(|(_, field)| field.clone()).collect::<Vec<_>>();
        let text = |text: &str| Field::Str(text.into());
        assert_eq!(fields(0), [Field::Double(0.0), Field::Long(1), Field::Null, text("epsd"), Field::Null]);
        let last = [Field::Double(1e-5), Field::Long(-3), Field::Null, text("a \"b\""), Field::Double(0.1 + 0.2)];
        assert_eq!(fields(2), last);
        assert_eq!(rows[0].get_column_iter().next().unwrap().0, "contact[a,b].roll.mu");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_dir_all(folder).unwrap();
    }
}
