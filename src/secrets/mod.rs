//! Finds credentials in text; a finding never holds the value.
//! Border: No files and no git; callers hand in text.
