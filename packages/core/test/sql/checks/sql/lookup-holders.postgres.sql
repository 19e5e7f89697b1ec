select (('[' || (select '[' || coalesce(string_agg("items"."json", ','), '') || ']'
      from (select ((('[' || "x"."crud_index") || ',') || ("t"."id" || ']')) as "json"
        from (select "crud_number" - 1 as "crud_index", "crud_record"."shelf"
          from unnest(array(select jsonb_array_elements($1::text::jsonb))) with ordinality as crud_rows ("crud_row", "crud_number"), jsonb_populate_record((select "crud_type"
              from "album" as "crud_type"
              where false), "crud_row") as "crud_record") as "x"
        cross join lateral (select "t".*
          from "album" as "t"
          where "t"."shelf" = "x"."shelf" offset 0) as "t"
        order by "t"."id") as "items")) || ']') as json
-- ["[{\"shelf\":7},{\"shelf\":2},{\"shelf\":1}]"]
