select (('[' || (select '[' || coalesce(string_agg("items"."json", ','), '') || ']'
      from (select ((('[' || "x"."id") || ',') || ("t"."id" || ']')) as "json"
        from (select "crud_record"."id", "crud_record"."shelf"
          from unnest(array(select jsonb_populate_recordset((select "crud_type"
                  from "album" as "crud_type"
                  where false), $1::text::jsonb))) as "crud_record") as "x" join "album" as "t" on "t"."shelf" = "x"."shelf"
        order by "t"."id") as "items")) || ']') as json
-- ["[{\"id\":0,\"shelf\":7},{\"id\":1,\"shelf\":2},{\"id\":2,\"shelf\":1}]"]
